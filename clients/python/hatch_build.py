"""Writes the operations, their types and the errors by code from the OpenAPI document, when the package is built.

Must never leave anything out: a warning of the generator fails the build. See docs/decisions/0510.
"""

import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from openapi_python_client import generate
from openapi_python_client.config import ClassOverride, Config, ConfigFile, MetaType

# Files that the generator knows as bytes.
FILES = ["image/png", "image/webp", "application/vnd.apache.parquet"]
# Modules of types that have a field of their own name, which the generator's code confuses.
MODULES = {"Daily": "daily_report", "Trend": "trend_report"}
# Python types of the fields of errors.
FIELD_TYPES = {"integer": "int", "string": "str", "array": "list[dict[str, Any]]"}


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """The hook that hatchling calls before it packs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Writes the generated part of the package beside the hand-written one."""
        root = Path(self.root)
        # In a source distribution the document lies beside this file.
        places = [root / "openapi.json", root / "../../docs/openapi.json"]
        text = next(place for place in places if place.exists()).read_text("utf-8")
        package = root / "glasshouse_client"
        write_operations(json.loads(text), root / "templates", package)
        module = refusals(json.loads(text), hashlib.sha256(text.encode()).hexdigest())
        (package / "refusals.py").write_text(module, "utf-8")


def write_operations(document: dict[str, Any], templates: Path, package: Path) -> None:
    """Has the generator write `api`, `models` and `types.py`."""
    for operation in operations(document):
        # Other answers are raised by the client.
        answers = operation["responses"]
        operation["responses"] = {status: answer for status, answer in answers.items() if status.startswith("2")}
        # The generator reads descriptions of types only.
        for parameter in operation.get("parameters", []):
            if "$ref" not in parameter["schema"] and "description" in parameter:
                parameter["schema"]["description"] = parameter["description"]
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "openapi.json"), Path(folder, "output")
        source.write_text(json.dumps(document), "utf-8")
        overrides = dict.fromkeys(FILES, "application/octet-stream") | {"image/svg+xml": "text/plain"}
        modules = {name: ClassOverride(module_name=module) for name, module in MODULES.items()}
        file = ConfigFile(content_type_overrides=overrides, class_overrides=modules, literal_enums=True)
        config = Config.from_sources(file, MetaType.NONE, source, "utf-8", overwrite=True, output_path=output)
        warnings = generate(config=config, custom_template_path=templates)
        if warnings:
            raise RuntimeError("\n".join(f"{warning.header} {warning.detail}" for warning in warnings))
        for name in ["api", "models"]:
            shutil.rmtree(package / name, ignore_errors=True)
            shutil.copytree(output / name, package / name)
        shutil.copy(output / "types.py", package)


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Lists the operations of a document."""
    return [operation for path in document["paths"].values() for operation in path.values()]


def refusals(document: dict[str, Any], sha256: str) -> str:
    """Writes the module with a class for each code of an error, by the examples of the document."""
    codes: dict[str, tuple[str, set[str]]] = {}
    for operation in operations(document):
        for status, answer in operation["responses"].items():
            for example in answer.get("content", {}).get("application/json", {}).get("examples", {}).values():
                body = example["value"]
                if "error" in body and "ok" not in body:
                    codes.setdefault(body["error"], (status, set()))[1].update(body.keys() - {"error"})
    properties = document["components"]["schemas"]["ErrorBody"]["properties"]
    parts = [
        '"""Errors by code. Written by hatch_build.py from docs/openapi.json; never edited by hand."""',
        "from typing import Any, cast\n\nfrom .errors import ApiError",
        f'DOCUMENT_SHA256 = "{sha256}"\n"""SHA-256 of the document that this package is made from."""',
    ]
    for code, (status, fields) in sorted(codes.items()):
        lines = [
            f"class {class_name(code)}(ApiError):",
            f'    """The error `{code}`, status {status}."""',
            "",
            f'    code = "{code}"',
        ]
        for field in sorted(fields):
            kind = FIELD_TYPES[properties[field]["type"][0]]
            name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)
            lines += [
                "",
                "    @property",
                f"    def {name}(self) -> {kind}:",
                f'        return cast({kind}, self.body["{field}"])',
            ]
        parts.append("\n".join(lines))
    by_code = "".join(f'    "{code}": {class_name(code)},\n' for code in sorted(codes))
    parts.append(f"BY_CODE: dict[str, type[ApiError]] = {{\n{by_code}}}")
    return "\n\n\n".join(parts) + "\n"


def class_name(code: str) -> str:
    """Returns the name of the class of a code."""
    return "".join(word.capitalize() for word in code.split("_"))
