"""Writes the relations of Django models as a join graph, which joinpath.Import reads:

    DJANGO_SETTINGS_MODULE=mysite.settings python django_models.py [app ...] > relations.json

Without names of apps it writes those of all of them. Nothing is read from the database.
"""

import json
import re
import sys

import django
from django.apps import apps


def table(model):
    """The name of a model's table. A schema is written with its quotes: "sales"."orders"."""
    return re.sub(r'(["`])\.\1', ".", model._meta.db_table.strip('"`'))


def relationships(labels):
    for model in apps.get_models(include_auto_created=True):
        if labels and model._meta.app_label not in labels:
            continue
        for field in model._meta.local_fields:
            if not (field.many_to_one or field.one_to_one):
                continue
            target = field.target_field
            edge = {
                "from_table": table(model),
                "from_column": field.column,
                "to_table": table(field.related_model),
                "to_column": target.column,
                "type": "association",
                "confidence": 0.95,
                "cardinality": "1:1" if field.one_to_one else "N:1",
                "provenance": [f"django: {model._meta.label}.{field.name}"],
            }
            role = field.name.replace("_", " ")
            if role.replace(" ", "") != field.related_model._meta.model_name:
                edge["role"] = role
            yield edge


if __name__ == "__main__":
    sys.path.insert(0, ".")
    django.setup()
    json.dump({"version": 1, "relationships": list(relationships(sys.argv[1:]))}, sys.stdout, indent=2)
    print()
