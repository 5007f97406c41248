package question

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/stockphrases"
)

// replied returns the index of the choice that the value of a reply names, or
// -1. A program replies with an ID, so what is exactly an ID or a text comes
// first. Everything else is read as in a message, where the number of a choice
// comes before an ID.
func (q *Question) replied(raw json.RawMessage) int {
	var n int
	if json.Unmarshal(raw, &n) == nil {
		return q.numbered(strconv.Itoa(n)) // null is 0, which no choice has
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return -1
	}
	// As it is written first: an id may have spaces around it.
	if i := slices.IndexFunc(q.Choices, func(o Choice) bool { return o.ID == text }); i >= 0 {
		return i
	}
	text = strings.TrimSpace(text)
	for _, same := range []func(Choice) bool{
		func(o Choice) bool { return o.ID == text },
		func(o Choice) bool { return strings.TrimSpace(o.Text) == text },
	} {
		if i, n := only(q.Choices, same); n > 0 {
			return i
		}
	}
	return q.named(text)
}

// Choice returns the choice that text names for certain, and reports whether
// there is one: by its text, its number from 1 or its ID, in this order.
func (q Question) Choice(text string) (Choice, bool) {
	if i := q.named(text); i >= 0 {
		return q.Choices[i], true
	}
	return Choice{}, false
}

// named returns the index of the choice that a message names for certain, or -1.
func (q *Question) named(text string) int {
	want := stockphrases.Normal(text)
	if want == "" {
		return -1
	}
	if i, n := only(q.Choices, func(o Choice) bool { return stockphrases.Normal(o.Text) == want }); n > 0 {
		return i
	}
	if i := q.numbered(text); i >= 0 {
		return i
	}
	text = strings.TrimSpace(text)
	i, _ := only(q.Choices, func(o Choice) bool {
		return strings.EqualFold(o.ID, text) || stockphrases.Normal(o.ID) == want
	})
	return i
}

// only returns the index of the one choice for which same returns true, or -1,
// and the number of such choices.
func only(choices []Choice, same func(Choice) bool) (index, n int) {
	index = -1
	for i, o := range choices {
		if same(o) {
			index = i
			n++
		}
	}
	if n > 1 {
		return -1, n // only a number can tell them apart
	}
	return index, n
}

// certainChoice returns the reply that a message is which names a choice for
// certain, and not the number of another one as well.
func (q *Question) certainChoice(text string) (json.RawMessage, bool) {
	i := q.named(text)
	if i < 0 || q.ambiguous(text, i) {
		return nil, false
	}
	return jsonString(q.Choices[i].ID), true
}

// ambiguous reports whether a text that names choice i is the number of another
// one as well.
func (q *Question) ambiguous(text string, i int) bool {
	n := q.numbered(text)
	return n >= 0 && n != i
}

// numbered returns the index of the choice whose number text is, or -1.
func (q *Question) numbered(text string) int {
	if n, ok := choiceNumber(text); ok && n >= 1 && n <= len(q.Choices) {
		return n - 1
	}
	return -1
}

// choiceNumber parses "2", "2.", "option 2", "#2" and the like.
func choiceNumber(text string) (int, bool) {
	text = stockphrases.Normal(text)
	for _, word := range []string{"option", "number", "answer", "choice"} {
		if rest, ok := strings.CutPrefix(text, word+" "); ok {
			text = rest
			break
		}
	}
	text = strings.TrimPrefix(text, "#")
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		n = -1 // too large for an int: no choice has it
	}
	return n, true
}
