"""A small world with a residual, a prior and a mass that can be moved."""

from __future__ import annotations

import pbn

NOISY = """
name: noisy
title: A small world with a residual and a prior that can be moved
parameters: {{mass: {mass}, sick: {sick}}}
variables:
  ill: {{states: [no, yes], p: [1 - sick, sick]}}
  fever: {{states: [low, high], values: [0, 2], given: ill, p: {{no: [.9, .1], yes: [.3, .7]}}}}
  cough: {{states: [no, yes], given: ill, p: {{no: [.8, .2], yes: [.4, .6]}}}}
  slip: {{role: residual, states: [-1, 0, 1], p: [mass / 3, 1 - mass, 2 * mass / 3]}}
  treated: {{rule: "fever + (cough == 'yes') + slip > 1"}}
questions:
  ill: {{asks: ill, kind: yes/no, positive: yes, text: Ill?}}
  treated: {{asks: treated, kind: yes/no, text: Treated?}}
levels:
  fine: {{hide: []}}
  coarse: {{hide: [cough]}}
"""


def noisy(mass="0.2", sick="0.1"):
    return pbn.loads(NOISY.format(mass=mass, sick=sick))
