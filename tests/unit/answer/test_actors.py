"""Who does, is or has something in a sentence does so in its evidence."""

from __future__ import annotations

import pytest

from desktop_rag.answer.actors import changed_actor, other_person

BOUGHT = "Kestrel Foods bought Marlow Dairy in 2019 after talks with Alba Group had failed."
TAKES = "Priya Nair takes over the billing module from Hugo Lind on 1 April."
DEPUTY = "Tomasz Wrona leads the migration; his deputy is Ines Falk."
COPPER = "Exports of copper were higher than those of tin in 2022, but lower in 2023."
DUCK = "A male is called a drake and the female is called a duck. Male mallard."
DOGS = "Dogs are allowed only on the ground floor."


@pytest.mark.parametrize(
    ("evidence", "sentence", "passes"),
    [
        (BOUGHT, "Kestrel Foods bought Marlow Dairy.", True),
        (BOUGHT, "Marlow Dairy was bought by Kestrel Foods.", True),
        (BOUGHT, "Marlow Dairy bought Kestrel Foods.", False),
        (BOUGHT, "Alba Group bought Marlow Dairy.", False),
        (BOUGHT, "Kestrel Foods bought Alba Group.", False),
        (BOUGHT, "Kestrel Foods was bought by Marlow Dairy.", False),
        (TAKES, "Priya Nair takes over the billing module.", True),
        (TAKES, "Hugo Lind takes over the billing module.", False),
        (DEPUTY, "Ines Falk is the deputy of Tomasz Wrona.", True),
        (DEPUTY, "Tomasz Wrona is the deputy of Ines Falk.", False),
        (COPPER, "Exports of copper were higher than those of tin.", True),
        (COPPER, "Exports of tin were higher than those of copper.", False),
        (DUCK, "A male duck is called a drake.", True),
        (DUCK, "Ducks are called mallard when they are male.", False),
        (DUCK, "The female is called a drake.", False),
        (DOGS, "Dogs are allowed only on the ground floor.", True),
        (DOGS, "Only dogs are allowed on the ground floor.", False),
    ],
)
def test_the_parts_are_not_exchanged(evidence: str, sentence: str, passes: bool) -> None:
    assert (changed_actor(sentence, evidence) == "") is passes


@pytest.mark.parametrize(
    ("sentence", "evidence", "passes"),
    [
        ("The contract is liable.", "The contractor is liable.", False),
        ("The contractor pays a fee.", "Contract 2: the customer pays a fee.", False),
        ("The employee pays.", "The employer pays.", False),
        ("The employers pay.", "The employer pays.", True),
        ("The number is small.", "These numbers are small.", True),
    ],
)
def test_a_word_for_a_person_is_that_of_the_evidence(sentence: str, evidence: str, passes: bool) -> None:
    assert (other_person(sentence, evidence) == "") is passes
