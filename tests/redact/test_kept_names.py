"""Names: what torch and Python ship stays, everything else gets a pseudonym of the same form."""

import re

import pytest
from tlparse_bundle.redact.names import Names
from tlparse_bundle.redact.pseudonyms import Pseudonyms
from tlparse_bundle.redact.torch_names import shipped_file

TAG = "[a-z2-7]{8}"


@pytest.fixture
def names():
    return Names(Pseudonyms(bytes(32)))


@pytest.mark.parametrize(
    ("file", "function", "new"),
    [
        (
            "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/convert_frame.py",
            "_compile",
            "/site-packages/torch/_dynamo/convert_frame.py",
        ),
        ("C:\\py\\torch\\nn\\modules\\module.py", "_call_impl", "/site-packages/torch/nn/modules/module.py"),
        (
            "/home/ann/src/torch/_dynamo/convert_frame.py",
            "_compile",
            "/site-packages/torch/_dynamo/convert_frame.py",
        ),
        ("torch/_dynamo/eval_frame.py", "<lambda>", "/site-packages/torch/_dynamo/eval_frame.py"),
        ("/usr/lib/python3.12/json/decoder.py", "decode", "/lib/python3/json/decoder.py"),
    ],
)
def test_a_frame_that_torch_or_python_ships_stays(names, file, function, new):
    assert names.place(file, function) == (new, function)


@pytest.mark.parametrize(
    ("file", "function"),
    [
        ("/home/ann/torch/_dynamo/acme_secret.py", "_compile"),  # a fork: its file is not torch's
        ("/home/ann/torch/_dynamo/convert_frame.py", "acme_secret"),  # nor is its function
        ("/home/ann/torch/train.py", "main"),
        ("/opt/lib/python3.11/site-packages/transformers/modeling_utils.py", "from_pretrained"),
        ("/usr/lib/python3.11/acme.py", "decode"),
        ("/home/ann/json/decoder.py", "decode"),  # a folder's name is not enough
        ("<acme_secret>", "acme"),
        ("<frozen acme.secret>", "acme"),
        ("\udcff\udcfe/密码.py", "पासवर्ड"),
    ],
)
def test_any_other_frame_gets_pseudonyms(names, file, function):
    new_file, new_function = names.place(file, function)
    assert re.fullmatch(rf"fn_{TAG}", new_function)
    assert re.fullmatch(rf"(/site-packages)?/?(dir_{TAG}/)*file_{TAG}\.py|<generated_{TAG}>", new_file)


def test_generated_code_keeps_its_form(names):
    assert names.path("<eval_with_key>.12 from /home/ann/x.py:3 in f") == "<eval_with_key>.12"
    assert names.path("<frozen importlib._bootstrap>") == "<frozen importlib._bootstrap>"
    assert names.path("<string>") == "<string>"


def test_folders_keep_their_order_so_that_checkouts_can_be_compared(names):
    one, other = names.path("/home/ann/shop/nets/mlp.py"), names.path("/builds/7/home/ann/shop/nets/mlp.py")
    assert one == other and one.count("/") == 3
    assert names.path("/home/ann/shop/nets/cnn.py").rpartition("/")[0] == one.rpartition("/")[0]
    assert re.fullmatch(rf"/dir_{TAG}/dir_{TAG}/file_{TAG}\.py:12", names.path("/a/shop/nets/mlp.py:12"))


def test_a_resume_function_keeps_its_form(names):
    function = names.function("train_step")
    assert (
        names.function("torch_dynamo_resume_in_train_step_at_12")
        == f"torch_dynamo_resume_in_{function}_at_12"
    )
    assert names.function("<resume in train_step>") == f"<resume in {function}>"
    deep = "train_step"
    for line in range(30):
        deep = f"torch_dynamo_resume_in_{deep}_at_{line}"
    assert "train_step" not in names.function(deep)
    assert "4111" not in names.function("torch_dynamo_resume_in_f_at_4111111111111111")


@pytest.mark.parametrize("name", ["add_3", "primals_12", "buf7", "arg0_1", "submod_0", "7"])
def test_names_that_torch_makes_up_for_values_stay(names, name):
    assert names.name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "l_self_secret_layer", "acme_1", "hunter2", "add_4111111111111111", "add_4111_1111_1111", "2024", "密码",
        "ip-10-31-77-204", "4111111111111111", "00-1A-2B-3C-4D-5E", "0xDEADBEEF", "add\u200b_1", "ADD-1",
    ],
)  # fmt: skip
def test_other_names_get_pseudonyms(names, name):
    assert re.fullmatch(rf"name_{TAG}", names.name(name))


@pytest.mark.parametrize(
    ("source", "form"),
    [
        ("L['x'].size()[0]", r"L\['N'\].size\(\)\[0\]"),
        ("L['self']._modules['head'].weight", r"L\['self'\]._modules\['N'\].weight"),
        ("G['MODE']", r"G\['N'\]"),
        ("self.secret.training", r"self.N.training"),
        ("len(L['xs'])", r"len\(L\['N'\]\)"),
        ("___from_numpy(L['x'])", r"___from_numpy\(L\['N'\]\)"),
        ("L['x'] + acme", "N"),
        ("L['a\\'b']", "N"),
        ("L[4111111111111111]", "N"),
        ("10.31.77.204", "N"),
        ("12345 67890", "N"),
        ("密码", "N"),
        ("x" * 5000, "N"),
    ],
)
def test_a_source_keeps_its_form(names, source, form):
    assert re.fullmatch(form.replace("N", f"name_{TAG}"), names.variable(source))


def test_a_path_without_end_gets_one_pseudonym(names):
    long = "/torch" * 24_000 + "/_dynamo/convert_frame.py"
    assert re.fullmatch(f"file_{TAG}", names.path(long)) and shipped_file(long) is None
    assert re.fullmatch(f"fn_{TAG}", names.function("torch_dynamo_resume_in_" * 24_000 + "f_at_1"))


def test_dropped_texts_are_equal_if_they_differ_in_addresses_only(names):
    one, other = (
        names.text(f"cannot trace <f at {address}>") for address in ("0x7f12345678", "0x7f87654321")
    )
    assert one == other != names.text("cannot trace <g at 0x7f12345678>")
    assert re.fullmatch(f"redacted_{TAG}", one)
