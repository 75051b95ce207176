"""What differs between machines and runs is removed from texts before they are compared."""

import pytest
from tlparse_bundle.base.machine_text import normalised, tail, without_addresses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("True", "True"),
        ("a b", "a b"),
        ("0xabcdef", "0x…"),
        ("<f at 0x7f00dead>", "<f at 0x…>"),
        ("0xabc", "0xabc"),
        ("/home/me/train.py line 7", "train.py line 7"),
        ("/env/site-packages/torch/nn/x.py", "torch/nn/x.py"),
        (r"C:\Users\me\train.py", "train.py"),
        ("/tmpfile", "/tmpfile"),
        ("tmp0a1b2c3d", "tmp…"),
        ("c" + "a2" * 25 + "7 key", "c… key"),
        ("<eval_with_key>.12", "<eval_with_key>"),
        ("pid 123, process id: 4", "pid …, process id: …"),
        ("1234567890 and 123456789", "… and 123456789"),
        ("/a/b", "b"),
    ],
)
def test_texts(text, expected):
    assert normalised(text) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.py", "a.py"),
        ("/p/a.py", "a.py"),
        (r"p\a.py", "a.py"),
        ("/x/dist-packages/torch/a.py", "torch/a.py"),
        (r"D:\x\site-packages\torch\a.py", r"torch\a.py"),
    ],
)
def test_the_name_of_a_file(path, expected):
    assert tail(path) == expected


def test_addresses_of_objects():
    text = "<f at 0xabcdef01> met at 0xab"
    assert without_addresses(text) == "<f> met"
    assert without_addresses(text, of_objects=True) == "<f> met at 0xab"
