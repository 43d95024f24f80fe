"""Writes the pages of the published documents anew: `python -m tests.published`."""

from tests.published import ANSWERS, FOLDER, REPORTS, forms

if __name__ == "__main__":
    for name in (*REPORTS, *ANSWERS):
        for suffix, text in forms(name).items():
            if suffix != "json":
                (FOLDER / f"{name}.{suffix}").write_text(text, encoding="utf-8")
