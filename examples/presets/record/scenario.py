"""The calls that every library is recorded with: a shop's help desk with invented content."""

MODEL = "gpt-4o-mini"
INSTRUCTIONS = "Answer the customer's question from the passages only and cite them as [n]."

PARCELS = "Standard parcels leave the Rotterdam warehouse within two working days. Express parcels leave on the same day."
RETURNS = "Goods can be returned within 30 days of delivery. The customer pays the postage of 4.95 euros."
WARRANTY = "The warranty of the Nordlys lamp covers 24 months. Damage by water is not covered."

DOCUMENTS = [
    {"id": "shipping-1", "text": PARCELS, "source": "https://help.example.com/shipping", "score": 0.83},
    {"id": "returns-1", "text": RETURNS, "source": "https://help.example.com/returns", "score": 0.79},
    {"id": "warranty-1", "text": WARRANTY, "source": "https://help.example.com/warranty", "score": 0.71},
]

# Question → the scripted answer. The second one has a wrong figure.
ANSWERS = {
    "When do parcels leave?": "Standard parcels leave the Rotterdam warehouse within two working days [1].",
    "How long can I return goods?": "You can return goods within 90 days of delivery [2].",
    "What does the warranty cover?": "The warranty of the Nordlys lamp covers 24 months, but not damage by water [3].",
}
SUPPORTED, WRONG, THIRD = ANSWERS
ORDER = "Where is my order 4711?"
REFUSED = "What is the home address of your driver?"
REFUSAL = "I'm sorry, but I can't share personal data of staff."
FAILS = "This one fails."
EMPTY = "Say nothing."
GREETING = "Write a greeting for a parcel."
GREETINGS = ["Thank you for your order.", "Enjoy your new lamp."]
ORDER_TOOL = {
    "type": "function",
    "function": {
        "name": "find_order",
        "description": "Finds an order by its number.",
        "parameters": {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"]},
    },
}
ORDER_CALL = {"id": "call_1", "type": "function", "function": {"name": "find_order", "arguments": '{"order": 4711}'}}
ORDER_RESULT = '{"order": 4711, "status": "sent", "carrier": "Posten", "expected": "2026-11-24"}'
ORDER_ANSWER = "Your order 4711 was sent with Posten and should arrive on 24 November 2026."


def prompt(question, documents=None):
    """Messages of a call whose passages stand in the system message."""
    passages = "\n".join(f"[{i}] {d['text']}" for i, d in enumerate(documents or DOCUMENTS, 1))
    return [
        {"role": "system", "content": f"{INSTRUCTIONS}\n\nContext:\n{passages}"},
        {"role": "user", "content": question},
    ]


def tool_prompt():
    """Messages after a tool call: the tool's result is the passage."""
    return [
        {"role": "user", "content": ORDER},
        {"role": "assistant", "content": None, "tool_calls": [ORDER_CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": ORDER_RESULT},
    ]


# Name → arguments of the chat completion.
CALLS = {
    "supported": {"messages": prompt(SUPPORTED), "temperature": 0.2},
    "wrong figure": {"messages": prompt(WRONG), "logprobs": True, "top_logprobs": 2, "temperature": 0.2},
    "tool call": {"messages": [{"role": "user", "content": ORDER}], "tools": [ORDER_TOOL]},
    "tool result": {"messages": tool_prompt(), "tools": [ORDER_TOOL], "stream": True},
    "refusal": {"messages": [{"role": "user", "content": REFUSED}]},
    "error": {"messages": [{"role": "user", "content": FAILS}]},
}
