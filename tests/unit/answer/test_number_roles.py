"""A number does in a sentence what it does in its evidence."""

from __future__ import annotations

import pytest

from desktop_rag.answer.number_roles import changed_number_role, no_change

TIME = "The response time fell from 340 ms to 210 ms by 30 June 2025. It had been measured since 4 May 2021."
PART = "As of May, 412 of 1,150 customers had moved. Nineteen of the twenty samples passed; sample 7 failed."
LICENCE = "Team licences allow 5 devices per user, and up to 50 users. The lift carries 6 persons or 450 kg."
ROW = "item: hydraulic oil HLP 46; site: Graz; stock: 95; unit: litre; minimum: 200"
GRANT = "Grant; 2023: 1,010,000; 2024: 1,046,000"
CELLS = "Do not store cells above 30 °C. Rent is due on the third working day of the month."


@pytest.mark.parametrize(
    ("evidence", "sentence", "passes"),
    [
        (TIME, "The response time fell from 340 ms to 210 ms.", True),
        (TIME, "The response time fell from 210 ms to 340 ms.", False),
        (TIME, "The response time fell by 210 ms.", False),
        (TIME, "The response time was 210 ms after 30 June 2025.", False),
        (TIME, "It has been measured since May 4, 2021.", True),
        (TIME, "It was measured until 4 May 2021.", False),
        (TIME, "It was measured before 2021.", False),
        (PART, "412 of 1,150 customers had moved.", True),
        (PART, "412 customers had moved.", True),
        (PART, "1,150 customers had moved.", False),
        (PART, "Twenty samples passed.", False),
        (PART, "Sample 7 failed.", True),
        (PART, "7 samples failed.", False),
        (PART, "Sample 19 failed.", False),
        (LICENCE, "Team licences allow 5 devices per user.", True),
        (LICENCE, "Team licences allow 50 devices per user.", False),
        (LICENCE, "Team licences allow 5 users.", False),
        (LICENCE, "The lift carries 6 persons and 450 kg.", False),
        (ROW, "The stock of hydraulic oil HLP 46 is 95 litre.", True),
        (ROW, "The stock of hydraulic oil HLP 46 is 200 litre.", False),
        (ROW, "The minimum stock of hydraulic oil is 95 litre.", False),
        (GRANT, "In 2024 the grant was 1,046,000.", True),
        (GRANT, "In 2024 the grant was 1,010,000.", False),
        (CELLS, "Do not store cells above 30 °C.", True),
        (CELLS, "Do not store cells.", False),
        (CELLS, "Rent is due on the third day of the month.", False),
        (CELLS, "Rent is due on the third working day of the month.", True),
    ],
)
def test_numbers_keep_their_part(evidence: str, sentence: str, passes: bool) -> None:
    assert (changed_number_role(sentence, evidence) == "") is passes


FERRY = "The ferry runs from April to October. Since September it has a bar, and work lasts until the autumn."


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("The ferry runs from April to October.", True),
        ("The ferry runs from October to April.", False),
        ("It has a bar until September.", False),
        ("Work lasts until autumn.", True),
        ("Work begins in autumn.", False),
    ],
)
def test_words_of_time_keep_their_side(sentence: str, passes: bool) -> None:
    assert (changed_number_role(sentence, FERRY) == "") is passes


@pytest.mark.parametrize(
    ("text", "evidence", "passes"),
    [
        ("2.4 trillion.", "Costs decreased $992.2 billion (29.0 percent) to $2.4 trillion.", False),
        ("$992.2 billion.", "Costs decreased $992.2 billion (29.0 percent) to $2.4 trillion.", True),
        ("12 percent.", "The port handled 12 percent more than in 2018.", True),
        ("Rent was raised by 3 %.", "Rent was raised by 3 % in January 2024.", True),
        ("340 ms", "The time was 340 ms.", False),
    ],
)
def test_by_how_much_asks_for_a_change(text: str, evidence: str, passes: bool) -> None:
    assert (no_change(text, evidence, "By how much did it change?") == "") is passes
    assert no_change(text, evidence, "How much is it?") == ""


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [("The old lynx is fed every second day.", True), ("The lynx is fed every day.", False)],
)
def test_every_second_day_is_not_every_day(sentence: str, passes: bool) -> None:
    assert (changed_number_role(sentence, "The old lynx is fed every second day.") == "") is passes
