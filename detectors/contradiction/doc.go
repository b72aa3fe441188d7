// Package contradiction finds claims that use the words of a source and state the opposite: with a negation added or
// dropped, an opposite word, exchanged roles, another quantity or another obligation. It also finds sentences of an answer
// that contradict each other.
package contradiction
