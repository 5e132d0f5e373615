"""What every command prints with ``--json``, as types: ``reference/json.md`` is made from them.

``tests/test_json_answers.py`` runs the commands and compares what they print with these types. A ``str`` in `Annotated`
says what a key means where its name does not.
"""

# Without `annotations` of __future__: a TypedDict would not see its `NotRequired` keys.

from typing import Annotated, Any, Literal, NotRequired, TypedDict


class Diagnostic(TypedDict):
    severity: Literal["error", "warning"]
    file: str
    line: int
    column: int
    path: Annotated[str, "where in the text: in action 'stack', precondition"]
    message: str
    expected: str
    found: str
    suggestion: str


class Counts(TypedDict):
    types: int
    predicates: int
    functions: int
    actions: int
    derived: int
    objects: int
    init: int
    goal_atoms: int


class Check(TypedDict):
    file: str
    kind: Literal["domain", "problem"]
    name: str
    ok: bool
    requirements: list[str]
    counts: Counts
    diagnostics: list[Diagnostic]


class Snippet(TypedDict):
    parameters: list[str]
    text: str | None
    negated: NotRequired[str]


class Source(TypedDict):
    method: str
    model: NotRequired[str | None]
    date: NotRequired[str | None]
    prompt_sha256: NotRequired[str | None]
    revisions: NotRequired[int]


class Wording(TypedDict):
    format: int
    domain: str
    predicates: dict[str, Snippet]
    actions: dict[str, Snippet]
    types: dict[str, str]
    functions: dict[str, Snippet]
    source: Source


class Convert(TypedDict):
    domain_text: str
    goal_text: Annotated[str | None, "null without a problem, as the two after it"]
    objects_text: str | None
    init_text: str | None
    names: Annotated[dict[str, str], "the told name of each object"]
    wording: Wording


class ToldLine(TypedDict):
    action: str
    text: str


class Tell(TypedDict):
    lines: list[ToldLine]


class Reading(TypedDict):
    line: int
    start: Annotated[int, "character offset into the input, as end"]
    end: int
    text: str
    status: Literal["read", "ambiguous", "unreadable", "unknown-object", "not-an-action", "look-around", "claimed-done"]
    action: Annotated[str | None, "in PDDL"]
    candidates: list[str]
    rule: str


class Read(TypedDict):
    readings: list[Reading]
    plan: list[str]
    ended: bool
    policy: Annotated[str, "the reading policy in force"]


class TurnReading(Reading):
    reason: str


class ReadTurn(TypedDict):
    turn: TurnReading
    plan: Annotated[list[str], "the action, if one was read"]


class Plan(TypedDict):
    planner: str
    status: Literal["solved", "unsolvable", "timeout", "out-of-memory", "unsupported", "error"]
    plan: list[str] | None
    cost: int | float | None
    seconds: Annotated[float, "CPU time"]
    expanded: int | None
    search: str


class Explained(TypedDict):
    literal: str
    deleted_by_step: int | None
    never_held: bool
    lost_after_step: int | None


class Validate(TypedDict):
    plan: Annotated[str, "the file; one object for each plan"]
    verdict: Literal["valid", "goal-not-satisfied", "inapplicable", "bad-plan"]
    steps: int
    cost: int | float | None
    failed_step: Annotated[int | None, "from 1"]
    action: str | None
    unmet: Annotated[list[str], "of the failing condition"]
    unmet_goals: list[str]
    explanation: list[Explained]
    told: Annotated[list[str], "sentences"]
    diagnostics: list[Diagnostic]


class Broken(TypedDict):
    number: int
    action: Annotated[str | None, "null for the goal"]
    unmet: list[str]
    conflict: str | None
    phase: NotRequired[Annotated[str, "of a plan with time: start, end, over all or action"]]
    time: NotRequired[int | float]


class Watch(TypedDict):
    line: Annotated[int, "of the input; one object for each line, 0 before the first"]
    next: Annotated[int, "the number of the next step"]
    broken: Annotated[Broken | None, "the first step that cannot be executed any more"]
    error: str | None


class Account(TypedDict):
    calls: int
    cache_hits: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    usd: float | None
    seconds: float


class Fault(TypedDict):
    step: int
    status: str
    text: str


class Run(TypedDict):
    outcome: Annotated[str, "solved, inapplicable, goal-missed, unreadable, budget, … (see Outcomes)"]
    fault: Annotated[Fault | None, "the first broken link"]
    plan: list[str]
    steps: int
    mistakes: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    usd: float | None
    seconds: Annotated[float, "wall time"]
    record: Annotated[str | None, "the file"]
    cache_hits: int
    accounts: Annotated[dict[str, Account], "by role"]


class Policy(TypedDict):
    name: str
    summary: str
    styles: list[str]
    one_shot: bool
    needs_model: bool
    system: str | None
    preset_of: str | None
    options: Annotated[dict[str, Any], "their defaults"]


class PolicyOption(TypedDict):
    name: str
    values: str
    default: Any
    help: str


class OnePolicy(Policy):
    help: list[PolicyOption]
    presets: Annotated[dict[str, dict[str, Any]], "the values of each"]


class Price(TypedDict):
    prompt: Annotated[float, "USD for a million tokens"]
    cached: NotRequired[float]
    completion: float


class ModelSettings(TypedDict):
    name: str
    known: NotRequired[Annotated[bool, "of models NAME"]]
    key_variable: str
    max_tokens_name: str
    takes_temperature: bool
    takes_seed: bool
    takes_stop: bool
    takes_system: bool
    takes_reasoning: bool
    tools: str
    price: NotRequired[Annotated[Price, "where it is known"]]
    constrain: str
    likelihood: str


class Models(TypedDict):
    models: list[ModelSettings]


class Trouble(TypedDict):
    run: str
    message: str


class Experiment(TypedDict):
    name: str
    runs: int
    earlier: Annotated[int, "runs that were finished before"]
    solved: int
    outcomes: dict[str, int]
    infrastructure_errors: list[Trouble]
    bad_input: list[Trouble]
    unfinished: int
    elsewhere: Annotated[int, "runs that another process works on"]
    stopped: str | None
    spent: Account
    spent_before: Account
    seconds: float
    records: str


class Estimate(TypedDict):
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    how: str


class EstimatedColumn(TypedDict):
    column: str
    runs: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None


class DryRun(TypedDict):
    name: str
    runs: int
    kinds: Annotated[dict[str, int], "runs of each policy and planner"]
    finished: int
    left_out: list[str]
    notes: list[str]
    estimate: Estimate
    columns: list[EstimatedColumn]
    records: str


class Shipped(TypedDict):
    name: str
    about: str


class TableColumn(TypedDict):
    name: str
    group: str
    paper: Annotated[bool, "whether its numbers are a paper's"]
    label: str


class Cell(TypedDict):
    text: str
    value: NotRequired[float | None]
    detail: NotRequired[str]
    best: NotRequired[bool]
    estimated: NotRequired[bool]
    interval: NotRequired[Annotated[list[float], "95 %"]]


class Line(TypedDict):
    label: str
    indent: bool
    total: bool
    cells: list[Cell]


class Section(TypedDict):
    title: str
    lines: list[Line]


class Table(TypedDict):
    key: str
    title: str
    columns: list[TableColumn]
    sections: list[Section]
    notes: list[str]


class Report(TypedDict):
    name: str
    runs: int
    missing: int
    infrastructure_errors: list[Trouble]
    notes: list[str]
    doubts: Annotated[list[Any], "runs that are not as recorded"]
    how: dict[str, str]
    tables: list[Table]
    plots: list[str]


class ReportPage(TypedDict):
    report: str
    plots: list[str]


class ReportRows(TypedDict):
    runs: Annotated[str, "the file of the rows of runs"]
    steps: str
    plots: list[str]


class Quickstart(TypedDict):
    runs: int
    judged_as_recorded: int
    coverage: Table
    report: str
    records: str
    seconds: float


class Replay(TypedDict):
    record: str
    identical: bool
    complete: bool
    events: int
    changed: Annotated[str, "the line of the record that was changed"]
    difference: Any


class Suite(TypedDict):
    suite: str
    tasks: int
    domains: int
    guesses: int


class PairedTask(TypedDict):
    suite: str
    name: str
    domain: str
    problem: str
    guess: bool
    rule: str
    why: str
    error: NotRequired[str | None]


class Pairs(TypedDict):
    root: str
    suites: list[Suite]
    tasks: list[PairedTask]
    left_over: list[Any]


class ListedGenerator(TypedDict):
    domain: str
    summary: str
    parameters: list[str]


class Generators(TypedDict):
    generators: list[ListedGenerator]


class GeneratorParameter(TypedDict):
    name: str
    meaning: str
    default: Any
    range: str


class Generator(TypedDict):
    domain: str
    summary: str
    parameters: list[GeneratorParameter]


class Generated(TypedDict):
    domain: str
    name: str
    seed: int
    parameters: dict[str, Any]
    call: str
    objects: int
    solvable: bool | None
    text: NotRequired[str]
    file: NotRequired[str]


class Renamed(TypedDict):
    file: str
    out: str | None
    text: NotRequired[str]


class Obfuscate(TypedDict):
    reversed: bool
    scheme: str
    seed: int | None
    domain: Renamed
    problems: list[Renamed]
    plans: list[Renamed]
    wording: Annotated[Any, "as the wording of convert; null without one"]
    mapping: Annotated[dict[str, Any], "old names to new ones, by kind"]


class StripCosts(TypedDict):
    domain: Renamed
    problems: list[Renamed]
    status: str
    reason: str
    functions: list[str]
    cost: Any
    warnings: list[str]
    plans: str
    wording: Any


class Equivalent(TypedDict):
    equivalent: bool
    missing: list[str]
    invented: list[str]


class ManifestCheck(TypedDict):
    lines: int
    proved: int
    not_run: list[Any]
    findings: list[Any]
    seconds: float


class Instance(TypedDict):
    instance: str
    role: str
    objects: int
    optimal_length: int | None
    proof: str
    ff_length: int | None
    call: str
    file: str


class ShippedSet(TypedDict):
    domain: str
    instances: list[Instance]


class Rewards(TypedDict):
    format: Annotated[float, "each from 0 to 1; one object for each line of the file"]
    prefix: float
    goals: float
    validity: float
    length: float


class Reviewed(TypedDict):
    kind: str
    name: str
    text: str
    reasons: list[str]


class BackTranslation(TypedDict):
    model: str
    date: str
    asked: int
    agreed: int
    prompt_sha256: str


class Review(TypedDict):
    review: list[Reviewed]
    warnings: list[str]
    back_translation: NotRequired[Annotated[BackTranslation, "with --model"]]


class AuditedFile(TypedDict):
    file: str
    policy: str
    replies: int
    recorded_agrees: int
    agrees: int
    recorded_only: int
    ours_only: int
    agreement: float


class Unread(TypedDict):
    file: str
    reason: str


class Disagreement(TypedDict):
    file: str
    instance: Any
    policy: str
    recorded: Any
    ours: Any


class Audit(TypedDict):
    unread: list[Unread]
    rows: list[AuditedFile]
    disagreements: list[Disagreement]


class ScoredGroup(TypedDict):
    kind: str
    form: str
    domain: str
    counts: Annotated[dict[str, int], "by verdict"]
    right: int
    scored: int
    interval: Annotated[list[float] | None, "Wilson's, 95 %"]


class Answer(TypedDict):
    id: str
    kind: str
    form: str
    verdict: str
    fault: str
    text: str


class QuestionScores(TypedDict):
    groups: list[ScoredGroup]
    answers: list[Answer]


class CheckedKind(TypedDict):
    kind: str
    questions: int
    recomputed: int
    agree: int
    differ: int
    undecided: int


class QuestionsCheck(TypedDict):
    kinds: list[CheckedKind]
    differences: Annotated[list[Any], "each with its proof"]


class MacroParameter(TypedDict):
    name: str
    types: list[str]


class Macro(TypedDict):
    name: str
    parameters: list[MacroParameter]
    steps: list[str]
    precondition: str
    effect: str
    distinct: bool
    description: str
    pddl: str


class Counterexample(TypedDict):
    kind: str
    state: list[str]
    values: dict[str, Any]
    step: int
    unmet: list[str]


class MacroProof(TypedDict):
    sound: bool
    states: str
    runs: Literal["proved", "refuted", "undecided"]
    holds: Literal["proved", "refuted", "undecided"]
    complete_effect: Literal["proved", "refuted", "undecided"]
    precondition: Annotated[str, "compared with the weakest one"]
    vacuous: bool
    static: Annotated[list[str], "static facts that the proof used"]
    counterexamples: list[Counterexample]
    block: NotRequired[Annotated[list[str], "the actions, of macro prove"]]
    told: NotRequired[Annotated[str, "the same in words"]]


class Round(TypedDict):
    reply: str
    verified: Annotated[int, "how many macro-actions were verified"]
    feedback: str


class MacroProposal(TypedDict):
    good: bool
    macros: list[Any]
    rounds: list[Round]


class SceneGraph(TypedDict):
    nodes: Annotated[dict[str, list[dict[str, Any]]], "by level, with what the domain's scene.json names"]
    links: list[str]


class Way(TypedDict):
    way: Annotated[list[str] | None, "null: there is none"]


class TaskGraph(TypedDict):
    name: str
    nodes: list[str]
    edges: Annotated[dict[str, list[str]], "the subtasks that may follow each"]
    source: NotRequired[Any]


class SubtaskFault(TypedDict):
    step: int
    line: int
    kind: str
    text: str


class SubtaskCheck(TypedDict):
    ok: bool
    steps: int
    faults: list[SubtaskFault]


class EdgeWitness(TypedDict):
    problem: str
    plan: list[str]
    of_first: Annotated[int, "how many actions are of the first subtask"]


class EdgeProof(TypedDict):
    first: str
    second: str
    kind: str
    reasons: list[str]
    witness: EdgeWitness | None


class EdgeProofs(TypedDict):
    edges: list[EdgeProof]
    broken_invariants: list[str]


class Logs(TypedDict):
    logs: list[str]


class Rows(TypedDict):
    runs: str
    steps: str


ANSWERS: dict[str, Any] = {
    "quickstart": Quickstart,
    "check": Check,
    "convert": Convert,
    "tell": Tell,
    "read": Read,
    "read --turn": ReadTurn,
    "plan": Plan,
    "validate": Validate,
    "watch": Watch,
    "run": Run,
    "policies": list[Policy],
    "policies NAME": OnePolicy,
    "models": Models,
    "models NAME": ModelSettings,
    "experiment": Experiment,
    "experiment --dry-run": DryRun,
    "experiment --list": list[Shipped],
    "report": Report,
    "report --format html": ReportPage,
    "report --format runs": ReportRows,
    "tasks pairs": Pairs,
    "tasks generate": Generators,
    "tasks generate NAME": Generated,
    "tasks generate NAME --parameters": Generator,
    "tasks obfuscate": Obfuscate,
    "tasks strip-costs": StripCosts,
    "tasks equivalent": Equivalent,
    "tasks manifest check": ManifestCheck,
    "tasks manifest show": list[ShippedSet],
    "questions score": QuestionScores,
    "questions check": QuestionsCheck,
    "training rewards": Rewards,
    "replay": Replay,
    "word review": Review,
    "audit planbench": Audit,
    "macro compose": Macro,
    "macro prove": MacroProof,
    "macro generate": MacroProposal,
    "scene show": SceneGraph,
    "scene collapse": SceneGraph,
    "scene expand": SceneGraph,
    "scene path": Way,
    "taskgraph show": TaskGraph,
    "taskgraph build": TaskGraph,
    "taskgraph check": SubtaskCheck,
    "taskgraph prove FIRST SECOND": EdgeProof,
    "taskgraph prove": EdgeProofs,
    "taskgraph sets": dict[str, int],
    "export inspect": Logs,
    "export hf": Rows,
}
"""The answer of each command, with the options that change it. Where several objects are printed, each is on a line."""
