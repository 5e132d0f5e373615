"""The specification of an experiment: what it multiplies, what it leaves out, and errors that point into the file."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.planners import PlannerRun
from pddl2nl.experiments.specification.estimate import Estimate, estimated_columns
from pddl2nl.experiments.specification.experiment import check_models, load_experiment
from pddl2nl.llm import Price
from pddl2nl.nl import save_wording, template_wording
from pddl2nl.pddl import load_domain
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_domain


@pytest.fixture
def spec(tmp_path):
    def load(text, name="spec.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return load_experiment(path)

    return load


def runs_of(said):
    """The descriptions of all runs of policies, by cell."""
    cells = groupby(said.runs, key=lambda each: (id(each[1]), id(each[2])))
    return [[job.about for *_, job in runs] for _, runs in cells]


def left_out(said):
    return [line.removeprefix("left out: ") for line in said.warnings(said.folder) if line.startswith("left out: ")]


WHOLE = """
name = "whole"
domains = ["blocksworld", {domain = "lamps/domain.pddl", problems = ["lamps/t*.pddl"]}]
instances = ["p01", "p02"]
policies = ["basic", "cot", "act", "react", "random"]
models = ["gpt-4o", "gpt-4o-mini"]
wordings = ["default", "template", "mine.json"]
styles = ["nl", "pddl"]
seeds = [1, 2, 3]
baselines = ["ff", "lmcut"]
[options]
steps = 9
temperature = 0.5
example = "none"
samples = 2
stop_after = 4
history = "none"
[budgets]
usd = 2.5
calls = 100
[access]
workers = 3
requests_per_minute = 60
"""


def test_the_product_is_run_less_what_there_is_not(spec, lamps, tmp_path):
    save_wording(template_wording(load_domain(lamps[0])), tmp_path / "mine.json")
    said = spec(WHOLE)
    assert (said.name, said.top.access.workers, said.top.access.requests_per_minute) == ("whole", 3, 60)
    assert (said.budget.usd, said.budget.calls, said.budget.tokens) == (2.5, 100, None)
    assert [(domain.label, len(domain.tasks), [*domain.wordings]) for domain in said.domains] == [
        ("blocksworld", 2, ["default", "template"]),
        ("lamps", 1, ["default", "template", "mine.json"]),
    ]
    notes = left_out(said)
    assert any(note.startswith("wording mine.json for blocksworld: ") for note in notes)
    assert any(note.startswith("policy cot in style pddl:") for note in notes)
    runs = Counter((run.policy, run.style) for some in runs_of(said) for run in some)
    # Tasks × wordings is 2 × 2 and 1 × 3; two models and three seeds; the random walk knows neither model nor wording.
    nl, pddl = 7 * 2 * 3, 3 * 2 * 3
    assert runs == {
        ("basic", "nl"): nl,
        ("cot", "nl"): nl,
        ("act", "nl"): nl,
        ("react", "nl"): nl,
        ("basic", "pddl"): pddl,
        ("act", "pddl"): pddl,
        ("react", "pddl"): pddl,
        ("random", "nl"): 3 * 3,
    }
    jobs = said.jobs.values()
    assert len(jobs) == sum(runs.values()) + 3 * 2
    assert sum(isinstance(job.about, PlannerRun) for job in jobs) == 6
    # What a mechanism has no use for is not given to it.
    for job in jobs:
        if isinstance(job.about, RunSpec):
            one_shot = job.about.policy in ("basic", "cot")
            own = {"samples": 2} if one_shot else {"stop_after": 4} if job.about.policy in ("act", "react") else {}
            assert job.about.options == own
            assert job.about.steps == (None if one_shot else 9)
            assert job.about.temperature == (0.0 if job.about.policy == "random" else 0.5)


def test_what_is_left_out_has_its_defaults(spec):
    said = spec('domains = ["visitall"]\npolicies = ["basic"]\nmodels = ["oracle"]\n', "small.toml")
    column = said.columns[0]
    assert column.seeds == (1, 2, 3, 4, 5)
    assert (said.name, column.style, column.wording) == ("small", "nl", "default")
    names = [task.name for task in said.domains[0].tasks]
    assert names == [instance.name for instance in shipped_domain("visitall").benchmarks]
    assert "example" not in names


def test_a_profile_gives_what_the_file_does_not(spec):
    text = 'domains = ["visitall"]\ninstances = ["p01"]\npolicies = ["act", "random"]\nprofile = "autoplanbench"\n'
    said = spec(text)
    assert [[run.seed for run in some] for some in runs_of(said)] == [[*range(1, 6)], [*range(1, 11)]]
    runs = [some[0] for some in runs_of(said)]
    assert (runs[0].model, runs[0].wording, runs[0].translator) == ("gpt-4o-2024-08-06", "llm", "lines")
    assert (runs[0].options, runs[1].options) == ({"stop_after": 11, "false_claims": 0}, {})
    assert (runs[0].profile, runs[1].policy) == ("autoplanbench", "random")
    own = spec(text + 'models = ["m"]\nwordings = ["template"]\nseeds = [7]\n[options]\ntranslator = "reader"\n')
    run = runs_of(own)[0][0]
    assert (run.model, run.translator) == ("m", "reader")
    assert [[run.seed for run in some] for some in runs_of(own)] == [[7], [7]]
    assert run.wording != "llm"


def test_paths_are_relative_to_the_file(spec, lamps, tmp_path, monkeypatch):
    (tmp_path / "plan.txt").write_text("(switch-on a)", encoding="utf-8")
    text = f"""
    domains = [{{domain = "lamps/domain.pddl", problems = ["{lamps[1]}"]}}]
    policies = ["act"]
    models = ["script:replies.txt", "replay:old"]
    [options]
    example = "lamps/three.pddl"
    example_plan = "plan.txt"
    """
    monkeypatch.chdir("/")
    said = spec(text)
    assert said.models == (f"script:{tmp_path / 'replies.txt'}", f"replay:{tmp_path / 'old'}")
    assert said.options["example_plan"] == tmp_path / "plan.txt"
    assert len(said.domains[0].tasks) == 1


def test_a_domain_occurs_once_in_a_section_and_rows_have_names_of_their_own(spec, lamps, tmp_path):
    other = tmp_path / "other" / "lamps"
    other.mkdir(parents=True)
    for path in lamps:
        (other / path.name).write_bytes(path.read_bytes())
    ours = '{domain = "lamps/domain.pddl", problems = ["lamps/three.pddl"]}'
    theirs = '{domain = "other/lamps/domain.pddl", problems = ["other/lamps/three.pddl"]}'
    rest = ']\npolicies = ["random"]\n[options]\nsteps = 3\n'
    with pytest.raises(InputError, match="domains: lamps and lamps would both be the row 'lamps' of a table: give one"):
        spec(f"domains = [{ours}, {theirs}{rest}")
    named = theirs.replace("}", ', row = "theirs"}')
    said = spec(f"domains = [{ours}, {named}{rest}")
    assert [(domain.row, len(domain.tasks)) for domain in said.domains] == [("lamps", 1), ("theirs", 1)]
    with pytest.raises(InputError, match="domains: lamps occurs twice in one section; make its entries one"):
        spec(f"domains = [{ours}, {ours}{rest}")


# ── errors ───────────────────────────────────────────────────────────────────────────────────────

GOOD = 'domains = ["visitall"]\npolicies = ["basic"]\nmodels = ["oracle"]\n'

WRONG = [
    (GOOD + "sedes = [1]", r":4:1: unknown key sedes; did you mean 'seeds'\?"),
    (
        'domains = ["visitall"]\npolicy = ["basic"]\nmodels = ["oracle"]\n',
        r":2:1: unknown key policy; did you mean 'policies'\?",
    ),
    (GOOD + "[options]\nhistory = 'last:0'", r":5:11: .* is 'last:0'; expected one of all, last:N, none, where N is"),
    (GOOD + "[options]\nsamples = 0", r":5:11: policy basic: option samples is 0; expected a whole number >= 1"),
    (
        GOOD + "[options]\nmodels-for = { transaltor = 'm' }",
        r":5:16: options.models-for.transaltor: no policy here asks such a model; did you mean 'translator'",
    ),
    (
        GOOD + "[options]\nfiles = { 'scene.json' = 's.json' }",
        r":5:12: options.files.scene.json: no policy here reads this file; they read none",
    ),
    (GOOD + "[options]\nstep = 1", r":5:1: unknown key options.step; did you mean 'steps'\?"),
    (
        GOOD.replace('"basic"', '"basic", "reakt"'),
        r":2:22: policies: did you mean 'react'\? There is no policy 'reakt'",
    ),
    (GOOD + "seeds = [\n  1,\n  2,\n  -3,\n]", r":7:3: seeds\[2\] is -3; expected a whole number >= 0"),
    (GOOD.replace('["basic"]', '"basic"'), r":2:12: policies is 'basic'; expected a list"),
    (GOOD.replace('["oracle"]', "[]"), r":3:1: models is \[\]; expected a list of length >= 1"),
    (GOOD + "[access]\nworkers = true", r":5:11: access.workers is true; expected a whole number"),
    (GOOD + "options.names = 'tyqed'", r":4:17: options.names is 'tyqed'; .*did you mean 'typed'\?"),
    (GOOD + "[budgets]\nusd = inf", r":5:7: budgets.usd is inf; expected a number <= "),
    (GOOD + "[access]\nrequests_per_minute = 0", r":5:23: .* is 0; expected a number > 0"),
    (GOOD + 'wordings = ["mine.json"]', r":4:13: wordings: 'mine.json' is none of default, template"),
    (GOOD + '[options]\nexample = "e.pddl"', r":5:1: options.example is 'e.pddl', and there is no file"),
    (GOOD + '[access]\nmodels = "m.toml"', r":5:1: access.models is 'm.toml', and there is no file"),
    (GOOD + 'instances = ["p01", "p99"]', r":4:21: instances holds 'p99', and no shipped domain here"),
    (
        'domains = [{domain = "lamps/domain.pddl", problems = ["x*.pddl"]}]\npolicies = ["random"]',
        r":1:22: domains: no problem is called 'x\*.pddl'",
    ),
    (
        'domains = [{domain = "lamps/domain.pddl", problem = ["x"]}]\npolicies = ["random"]',
        r":1:43: unknown key domains\[0\].problem; did you mean 'problems'\?",
    ),
    (
        'domains = [{suite = "~no-such-user"}]\npolicies = ["random"]',
        r":1:21: domains: .*~no-such-user: no such folder",
    ),
    ('domains = [{domain = "lamps/domain.pddl"}]\npolicies = ["random"]', r":1:1: domains\[0\].problems is missing"),
    (GOOD.replace('["visitall"', '["visitall", true'), r":1:24: domains\[1\] is true; expected a text or a table"),
    (GOOD + "[options]\nseeds = [1]", r":5:1: unknown key options.seeds; it belongs at the top, above all tables"),
    (GOOD + "max_usd = 3", r":4:1: unknown key max_usd; it belongs in \[budgets\], where it is called usd"),
    (GOOD + 'instances = ["p99"]', r":1:12: domains: visitall has none of .*; it has .*p01, p02"),
    (GOOD + 'base_url = "localhost:8000"', r":4:1: base_url is 'localhost:8000'; expected an address"),
    ('policies = ["random"]', r"spec.toml: domains is missing"),
    ('domains = ["visitall"]', r"spec.toml: nothing is to be run"),
    (GOOD.replace('models = ["oracle"]', ""), r":2:13: policy 'basic' asks a model, and 'models' is missing"),
    (GOOD + 'profile = "autoplan"', r":4:11: profile is 'autoplan'; .*did you mean 'autoplanbench'\?"),
    (GOOD + "seeds = [1", r"spec.toml:?.*not TOML"),
    (GOOD + 'models = ["m"]', r":4:15: not TOML: Cannot overwrite a value\n  models = \["),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
@pytest.mark.usefixtures("lamps")
def test_an_error_points_into_the_file(text, message, spec):
    with pytest.raises(InputError, match=message):
        spec(text)


def test_a_file_that_is_no_text_or_not_there_is_said(tmp_path):
    with pytest.raises(InputError, match=r"absent\.toml: no such file"):
        load_experiment(tmp_path / "absent.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8 was expected"):
        load_experiment(tmp_path / "bytes.toml")


# ── models, before anything runs ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('models = ["nobody-knows"]\n[budgets]\nusd = 1', ":6:1: .*for the model 'nobody-knows' this is not known"),
        ('models = ["oracle", "script:absent.txt"]', ":4:21: model 'script:absent.txt': .*absent.txt"),
        ('models = ["oracle"]\n[options]\ntranslator = "llm"', ":4:11: .*cannot translate; .* models-for.translator"),
        ('models = ["oracle"]\nwordings = ["llm"]', ":4:11: .*cannot word a domain; .* models-for.wording"),
        (
            'models = ["oracle:a", "replay:no"]',
            r":4:11: model 'oracle:a': .*\n.*:4:23: model 'replay:no': .*no such folder",
        ),
    ],
)
@pytest.mark.usefixtures("needs_planner")
def test_a_model_that_cannot_be_is_found_before_anything_runs(text, message, spec):
    said = spec('domains = ["visitall"]\ninstances = ["p01"]\npolicies = ["act"]\n' + text)
    with pytest.raises(InputError, match=message):
        check_models(said, Access())


def test_without_a_planner_only_what_needs_one_is_refused(spec, monkeypatch):
    monkeypatch.setattr("pddl2nl.baselines.fast_downward.importlib.util.find_spec", lambda name: None)
    head = 'domains = ["visitall"]\ninstances = ["p01"]\npolicies = ["act"]\nmodels = ["m"]\nbase_url="http://localhost/v1"\n'
    assert check_models(spec(head + '[options]\nsteps = 3\nexample = "none"'), Access()) == {"m": None}
    for options in ("steps = 3", 'example = "none"'):
        with pytest.raises(InputError, match=r"pip install 'pddl2nl\[planners\]'"):
            check_models(spec(head + "[options]\n" + options), Access())


def test_what_would_do_without_a_planner_is_said_where_it_is_missing(spec, monkeypatch):
    monkeypatch.setattr("pddl2nl.baselines.fast_downward.importlib.util.find_spec", lambda name: None)
    said = spec('domains = ["visitall"]\ninstances = ["p01"]\npolicies = ["random"]\nbaselines = ["ff"]\n')
    with pytest.raises(InputError, match=r":3:1: .*\[planners\]'; .* options.steps\n.*:4:1: .*; leave them out"):
        check_models(said, Access())


def test_options_that_nothing_uses_are_said_and_their_models_need_no_key(spec, monkeypatch):
    head = 'domains = ["visitall"]\ninstances = ["p01"]\nmodels = ["script:replies"]\nbaselines = ["ff"]\n'
    options = '[options]\nsamples = 2\nsteps = 3\nplanner_seconds = 5\nexample = "none"\n'
    options += 'models-for = { wording = "gpt-4o" }\n'
    said = spec(head + 'policies = ["act"]\n' + options.replace("samples = 2", "history = 'all'"))
    assert left_out(said) == []
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(InputError) as caught:
        check_models(said, Access())
    assert "script:replies" in str(caught.value)
    assert "OPENAI_API_KEY" not in str(caught.value)
    used = spec(head + 'policies = ["basic", "random"]\nwordings = ["llm"]\n' + options)
    assert left_out(used) == []
    random = spec(head + 'policies = ["random", "basic"]\nstyles = ["pddl"]\n[options]\nhistory = "all"\n')
    assert left_out(random) == ["options.history: nothing in this experiment uses it"]


# ── estimates ────────────────────────────────────────────────────────────────────────────────────


def estimate(said, prices):
    said.prices = prices
    return sum((one for _, one in estimated_columns(said, ()).values()), Estimate())


def test_an_estimate_counts_calls_and_prices_tokens(spec):
    head = 'domains = ["blocksworld"]\ninstances = ["p01", "p02"]\nmodels = ["gpt-4o"]\nseeds = [1, 2]\n'
    price = {"gpt-4o": Price(2.0, 1.0, 8.0)}
    basic = estimate(spec(head + 'policies = ["basic", "random"]\n'), price)
    assert basic.calls == 4
    assert 4 * 300 < basic.prompt_tokens < 4 * 3000
    assert basic.usd == pytest.approx((2 * basic.prompt_tokens + 8 * basic.completion_tokens) / 1e6)
    act = estimate(spec(head + 'policies = ["act"]\n'), price)
    turns = sum(shipped_domain("blocksworld").instance(name).ff_length for name in ("p01", "p02"))
    assert act.calls == 2 * turns
    assert act.prompt_tokens > turns / 2 * basic.prompt_tokens / 2
    short = estimate(spec(head + 'policies = ["act"]\n[options]\nsteps = 3\n'), {})
    assert (short.calls, short.usd) == (12, None)
    none = estimate(spec(head + 'policies = ["act"]\n[options]\nhistory = "none"\n'), price)
    assert none.calls == act.calls
    assert none.prompt_tokens < act.prompt_tokens
    worded = estimate(spec(head + 'policies = ["basic"]\nwordings = ["llm"]\n'), price)
    # Nine snippets for each seed, once.
    assert worded.calls == 4 + 2 * 9
    samples = estimate(spec(head + 'policies = ["basic"]\n[options]\nsamples = 3\nrounds = 1\n'), price)
    assert samples.calls == 4 * 3 * 2
    # Its thoughts are asked for once for each seed, and both policies show the same.
    thoughtful = estimate(spec(head + 'policies = ["cot", "react"]\n'), price)
    assert thoughtful.calls == 4 + 2 * turns + 2
    template = estimate(spec(head + 'policies = ["cot", "react"]\n[options]\nthoughts = "template"\n'), price)
    assert template.calls == thoughtful.calls - 2


def test_instances_may_be_patterns(spec):
    loaded = spec('domains = ["visitall", "ferry"]\ninstances = ["p0[2-4]"]\npolicies = ["random"]')
    assert [[task.name for task in domain.tasks] for domain in loaded.domains] == [["p02", "p03", "p04"]] * 2


def test_a_translator_behind_an_endpoint_beside_a_scripted_planner(spec):
    text = (
        'domains = ["visitall"]\ninstances = ["p02"]\npolicies = ["act"]\nmodels = ["oracle"]\nseeds = [1]\n'
        'base_url = "http://127.0.0.1:9/v1"\n[options]\ntranslator = "llm"\nmodels-for = { translator = "m" }\n'
        'example = "none"\n'
    )
    (job,) = spec(text).jobs.values()
    assert (job.base_url, job.about.models) == ("http://127.0.0.1:9/v1", {"translator": "m"})
