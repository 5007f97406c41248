"""Writes the relationships of SQLAlchemy models as a join graph, which joinpath.Import reads:

    python sqlalchemy_models.py package.models:Base > relations.json

The argument names the declarative base, or a registry. Nothing is read from the database.
"""

import importlib
import json
import sys

from sqlalchemy.orm import RelationshipDirection, configure_mappers


def edge(pairs, unique, source, role=None):
    """The relationship of column pairs, from the many side to the one side."""
    pairs = sorted(pairs, key=lambda pair: (pair[0].name, pair[1].name))
    out = {
        "from_table": pairs[0][0].table.fullname,
        "from_column": pairs[0][0].name,
        "to_table": pairs[0][1].table.fullname,
        "to_column": pairs[0][1].name,
        "type": "association",
        "confidence": 0.95,
        "cardinality": "1:1" if unique else "N:1",
        "provenance": [f"sqlalchemy: {source}"],
    }
    if len(pairs) > 1:
        out["from_columns"] = [pair[0].name for pair in pairs]
        out["to_columns"] = [pair[1].name for pair in pairs]
    if role:
        out["role"] = role
    return out


def relationships(base):
    registry = getattr(base, "registry", base)
    configure_mappers()
    for mapper in sorted(registry.mappers, key=lambda m: m.class_.__name__):
        for r in mapper.relationships:
            source = f"{mapper.class_.__name__}.{r.key}"
            if r.direction is RelationshipDirection.MANYTOONE:
                role = r.key.replace("_", " ")
                known = r.mapper.class_.__name__.lower()
                yield edge(r.local_remote_pairs, not r.uselist and back_is_single(r), source,
                           None if role.replace(" ", "") == known else role)
            elif r.direction is RelationshipDirection.ONETOMANY:
                yield edge([(b, a) for a, b in r.local_remote_pairs], not r.uselist, source)
            else:
                yield edge([(b, a) for a, b in r.synchronize_pairs], False, source)
                yield edge([(b, a) for a, b in r.secondary_synchronize_pairs], False, source)


def back_is_single(r):
    """Whether the other side of a relationship is one object as well."""
    return any(not other.uselist for other in r._reverse_property)


if __name__ == "__main__":
    if len(sys.argv) != 2 or ":" not in sys.argv[1]:
        sys.exit("usage: python sqlalchemy_models.py package.models:Base")
    sys.path.insert(0, ".")
    module, name = sys.argv[1].split(":", 1)
    found = getattr(importlib.import_module(module), name)
    json.dump({"version": 1, "relationships": list(relationships(found))}, sys.stdout, indent=2)
    print()
