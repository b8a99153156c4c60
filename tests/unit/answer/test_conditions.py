"""A sentence says no more certainly than its evidence."""

from __future__ import annotations

import pytest

from desktop_rag.answer.conditions import unsaid_reserve

EXCEPTION = "it leaves out the exception that the evidence makes"
CONDITION = "it leaves out the condition that the evidence has"
PLAN = "it says as a fact what the evidence says of a plan or expectation"
CLAIM = "it says as a fact what the evidence says as a claim or possibility"
HOME = "Work at home is allowed on three days, unless a visit is planned. The office opens at nine."
PASS = "Residents may ask for a pass if they have lived here for five years."
CELL = "The new cell is planned for autumn 2026; the old cell has been made in Brno since 2021."
DRUG = "The maker claims that the drug is safe. It may help against fever."
RENT = "Rent was raised by 3 % in January 2024 and will be raised by 2 % in January 2026."
DUTY = "Visitors may park in the yard. Tenants must lock the gate."
VOTE = "Only members who have paid can vote. The chair votes last, and decides in case of a tie."
SHARE = "A third of the mines were closed. Most tickets came from Austria."


@pytest.mark.parametrize(
    ("evidence", "sentence", "reason"),
    [
        (HOME, "Work at home is allowed on three days.", EXCEPTION),
        (HOME, "Work at home is allowed on three days, even if a visit is planned.", EXCEPTION),
        (HOME, "Work at home is allowed on three days, unless a visit is planned.", ""),
        (HOME, "Work at home is not allowed if a visit is planned.", ""),
        (HOME, "The office opens at nine.", ""),
        (PASS, "Residents may ask for a pass.", CONDITION),
        (PASS, "Residents have lived here for five years.", CONDITION),
        (PASS, "If residents have lived here for five years, they may ask for a pass.", ""),
        (CELL, "The new cell came in autumn 2026.", PLAN),
        (CELL, "The new cell is to come in autumn 2026.", ""),
        (CELL, "The old cell has been made in Brno since 2021.", ""),
        (DRUG, "The drug is safe.", CLAIM),
        (DRUG, "It helps against fever.", CLAIM),
        (DRUG, "It may help against fever.", ""),
        ("In May 400 francs were paid.", "400 francs were paid.", ""),
        (RENT, "Rent was raised by 2 % in January 2026.", "it says as done what the evidence says of the future"),
        (RENT, "Rent will be raised by 3 % in January 2024.", "it says of the future what the evidence says as done"),
        (RENT, "Rent was raised by 3 % in January 2024.", ""),
        (DUTY, "Visitors must park in the yard.", "it makes a duty of what the evidence allows"),
        (DUTY, "Tenants may lock the gate.", "it makes a permission of what the evidence demands"),
        (DUTY, "Tenants need not lock the gate.", "it says 'need not', which the evidence does not"),
        (DUTY, "Visitors can park in the yard.", ""),
        (SHARE, "The mines were closed.", "it says of all 'mines' what the evidence says of a part"),
        (SHARE, "Tickets came from Austria.", "it says of all 'tickets' what the evidence says of a part"),
        (SHARE, "A third of the mines were closed.", ""),
        (VOTE, "Members can vote.", "it leaves out for whom or what alone the evidence says so"),
        (VOTE, "Only members who have paid can vote.", ""),
        (VOTE, "The chair votes last.", ""),
        (VOTE, "The chair decides.", CONDITION),
        ("Shops usually close at six.", "Shops close at six.", "it says of every case what the evidence says of most"),
    ],
)
def test_reserves_stay(evidence: str, sentence: str, reason: str) -> None:
    assert unsaid_reserve(sentence, evidence) == reason
