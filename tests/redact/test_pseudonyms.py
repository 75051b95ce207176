"""Words, paths and lines under other names."""

import pytest
from tlparse_bundle.redact.log_rewriter import LogNames
from tlparse_bundle.redact.text_rewriter import Text

LOG = r"""
  File "/home/ann/shop/train.py", line 12, in pay_invoice
    total = self.ledger(x) + offset + tax_rate
  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/utils.py", line 3, in wrapper
    return fn(*args, **kwargs)
# File: /home/ann/shop/train.py:13 in pay_invoice, code: return helper(total)
torch_dynamo_resume_in_pay_invoice_at_12 triton_poi_fused_add_ledgerop_0 L['self'].ledger 'a phrase of its own' 'f32[3]' 10.1.2.3
shop/train.py:12 https://intranet.example/x https://pytorch.org/docs 0/0 getitem_3 primals_1 2.5e-3 0x7f00 5d41402abc4b2a76b9719d911017c592
"""


@pytest.fixture
def rewrite():
    found = LogNames()
    found.string(LOG)
    return Text(found.names(), found.source, strings=True).string


def test_each_word_of_the_program_becomes_another(rewrite):
    text = rewrite(LOG)
    for word in (
        "ann",
        "shop",
        "train",
        "pay_invoice",
        "ledger",
        "tax_rate",
        "phrase",
        "10.1.2.3",
        "intranet",
        "5d41402abc4b2a76b9719d911017c592",
    ):
        assert word not in text
    assert text.count("/file_1.py") == 2 and "\nfile_1.py:12" in text  # the same file, by a part of its path
    assert "torch_dynamo_resume_in_fn_1_at_12" in text and ", in fn_1\n    source_2\n" in text
    assert "in fn_1, code: source_1" in text


@pytest.mark.parametrize(
    "kept",
    [
        '/site-packages/torch/_dynamo/utils.py", line 3, in wrapper\n    return fn(*args, **kwargs)',
        "'f32[3]'",
        "https://pytorch.org/docs",
        "0/0 getitem_3 primals_1 2.5e-3 0x7f00",
    ],
)
def test_words_of_torch_stay(rewrite, kept):
    assert kept in rewrite(LOG)


def test_existing_names_are_not_reused():
    found = LogNames()
    found.string('  File "/home/ann/a.py", line 1, in secretly\n    fn_1 = 3\n')
    assert Text(found.names(), None, strings=False).string("secretly fn_1") != "fn_1 fn_1"


def test_json_stays_json(rewrite):
    import json

    text = json.dumps({"stack": [{"name": "pay_invoice", "line": 3}], "é": "x\n\tpay_invoice", "n": 1.5})
    value = json.loads(Text.json(rewrite.__self__, text))
    assert (
        value["stack"] == [{"name": "fn_1", "line": 3}]
        and value["n"] == 1.5
        and "x\n\tfn_1" in value.values()
    )


def test_a_repeated_line_is_replaced_everywhere(rewrite):
    """The message of a break on data names file, line and code, and the frame follows."""
    said = (
        '  # File "/home/ann/shop/train.py", line 36, in pay_invoice, code: if x.sum() > 0:\n    if x.sum() >'
        " 0:\n"
    )
    assert "sum" not in rewrite(said) and ", in fn_1, code: source" in rewrite(said)


def test_a_line_that_begins_like_another_is_another():
    lines = {
        f"total_{number} = first + second + third_{number}": f"source_{number}" for number in range(2_000)
    }
    text = "a sentence; total_7 = first + second + third_7 total_7 = first + second + third_77x"
    assert (
        Text(None, lines, strings=False).string(text)
        == "a sentence; source_7 total_7 = first + second + third_77x"
    )


def test_a_hash_that_looks_like_a_number_and_two_letters_is_one(rewrite):
    """PGO names a file by eight digits of its hash."""
    found = LogNames()
    found.string("hash(73391fa3)")
    assert "73391fa3" not in Text(found.names(), None, strings=False).string(
        "hash(73391fa3)/home/ann/shop/train.py:11:pay_invoice:"
    )
    assert rewrite("1.52587890625e-05 2.5.0a0 2.13.0rc2") == "1.52587890625e-05 2.5.0a0 2.13.0rc2"


def test_files_of_one_name_have_one_name_in_different_folders():
    """So the same program in another checkout is found."""
    found = LogNames()
    found.string("/home/ann/shop/train.py /home/bob/shop/train.py /home/bob/shop/other.py")
    text = Text(found.names(), None, strings=False).string
    assert (
        text("/home/ann/shop/train.py:3 /home/bob/shop/train.py:4 /home/bob/shop/other.py")
        == "/file_1.py:3 /folder_1/file_1.py:4 /file_2.py"
    )
    assert text("/home/bob/shop/train.py") == "/folder_1/file_1.py"


def test_artifacts_of_resumed_functions_keep_their_form():
    found = LogNames()
    found.string('  File "/home/ann/a.py", line 1, in größe\n    x\n')
    text = Text(found.names(), None, strings=False).string
    assert (
        text("torch_dynamo_resume_in_größe_at_3_ORIGINAL_BYTECODE")
        == "torch_dynamo_resume_in_fn_1_at_3_ORIGINAL_BYTECODE"
    )


def test_settings_of_torch_keep_their_names():
    text = Text(LogNames().names(), None, strings=False).string
    assert (
        text("cpp.vec_isa_ok max_fusion_size realize_reads_threshold")
        == "cpp.vec_isa_ok max_fusion_size realize_reads_threshold"
    )
