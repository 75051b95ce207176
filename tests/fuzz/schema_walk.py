"""The fields of a schema and their places in a document, so each field is equally likely."""

import functools

from tlparse_bundle.bundle.schemas import document_names, schema, schema_names

ITEM, ANY = object(), object()
_DEPTH = 12


@functools.cache
def fields(name):
    """Yield every place that a schema describes: tuples of keys, ITEM for a list element, ANY for a key of
    any name.
    """
    if name not in (*schema_names(), *document_names()):
        return ()
    document, found = schema(name), {}

    def walk(node, path):
        if len(path) > _DEPTH or not isinstance(node, dict):
            return
        if "$ref" in node:
            target = document
            for key in node["$ref"].removeprefix("#/").split("/"):
                target = target[key]
            walk(target, path)
        for key in ("anyOf", "oneOf", "allOf"):
            for choice in node.get(key, ()):
                walk(choice, path)
        inner = [((key,), value) for key, value in node.get("properties", {}).items()]
        inner += [((ITEM,), node[key]) for key in ("items",) if key in node]
        inner += [((ANY,), node[key]) for key in ("additionalProperties",) if isinstance(node.get(key), dict)]
        for key, value in inner:
            found[path + key] = None
            walk(value, path + key)

    walk(document, (ITEM,) if "x-table" in document else ())
    return tuple(found)


def place(document, field, rng):
    """Return (container, key) of one place of the field in the document; None without a place, and the key
    may be missing.
    """
    container, key, value = None, None, document
    for number, part in enumerate(field):
        container = value
        if part is ITEM:
            if not isinstance(container, list) or not container:
                return None
            key = rng.choice([0, len(container) - 1, rng.randrange(len(container))])
        elif part is ANY:
            if not isinstance(container, dict) or not container:
                return None
            key = rng.choice(list(container))
        else:
            if not isinstance(container, dict):
                return None
            key = part
            if key not in container:
                return (container, key) if number == len(field) - 1 else None
        value = container[key]
    return container, key


def any_place(document, rng):
    """Return (container, key) of any place in the document, whatever the schema; None for a scalar."""
    container, key = None, None
    value = document
    while isinstance(value, (dict, list)) and value and (container is None or rng.random() < 0.75):
        container = value
        key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        value = container[key]
    return None if container is None else (container, key)
