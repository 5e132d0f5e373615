"""The command line: thin commands, a file a group; every one parses its options and calls a room."""
