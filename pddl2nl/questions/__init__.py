"""Questions with exact answers about planning tasks, as ACPBench and PlanBench ask them."""

from pddl2nl.plugins import System

SYSTEM = System(
    title="Questions with exact answers",
    events="events:EVENTS",
    records="records:RECORDS",
    asks="asking:AskedQuestions",
    tables={
        "questions": "tables:questions_table",
        "question-domains": "tables:domains_table",
        "question-links": "tables:links_table",
        "kind-agreement": "tables:agreement_table",
    },
    commands={"questions": "command:register"},
)
