package qed

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/phrase"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// ParseReplies returns a function for [DurableOptions].ParseReplies, which
// parses a message that comes while questions are open.
//
// These messages need no model, in any case, with any punctuation and spaces
// around them:
//
//   - a choice by its text, its number from 1 ("2", "2.", "option 2", "#2") or
//     its ID
//   - words of an approval such as "yes", "approve", "ok", or "no", "reject",
//     with a reason after a colon, or "edit:" and the changed value as JSON
//   - a JSON object for a form
//   - "never mind" and the like, which abort the run, unless a question asks
//     for free text
//
// If several questions are open, this applies to a message that can answer only
// one of them; the others stay open.
//
// Every other message is read by the model: it is an answer in other words, a
// modification of the request, a new request, or an abort. The model receives
// the questions, but no draft of what is to be approved. Its result is checked.
// An answer to a question that is not open is dropped. An answer to a choice
// must be one of the choices. An answer to a free text must be words of the
// message, or else is the whole message. If the model says that the message
// answers, and none of its answers can be used, the message itself is the
// reply, so that the question is asked again, with the problem. If the model
// fails, its error is returned: the questions stay open, and nothing is lost.
//
// An approval that must not depend on a model needs a nil model here, or
// [Turn].Replies. With a nil model, a message that looks like an answer and
// cannot be used, such as a number without a choice, or "yes" with a condition,
// is asked again. Everything else is a new request.
//
// The requests have the name "read_reply" ([llm.Request].Name).
func ParseReplies(model llm.Model, s llm.Settings) func(ctx context.Context, open []Question, turn Turn) (ParsedReplies, error) {
	if model == nil {
		return parseReplies(nil)
	}
	m, err := asking.New("qed: ParseReplies", model, s, DurableModel)
	if err != nil {
		return func(context.Context, []Question, Turn) (ParsedReplies, error) { return ParsedReplies{}, err }
	}
	return parseReplies(m)
}

// maxMessage is how long a message may be to be a reply, in bytes. To read only
// its beginning could misread it.
const maxMessage = 16 << 10

// parseReplies is ParseReplies with a model; nil means none.
func parseReplies(m *asking.Model) func(ctx context.Context, open []Question, turn Turn) (ParsedReplies, error) {
	return func(ctx context.Context, open []Question, turn Turn) (ParsedReplies, error) {
		text := strings.TrimSpace(turn.Text)
		switch {
		case text == "" || len(open) == 0:
			return ParsedReplies{Intent: IntentNewRequest}, nil
		case len(text) > maxMessage:
			return ParsedReplies{Intent: IntentNewRequest, Reason: "the message is too long for a reply"}, nil
		}
		if parsed, ok := parseCertain(open, text); ok {
			return parsed, nil
		}
		if m != nil {
			return parseByModel(ctx, m, open, text)
		}
		return parseUncertain(open, text), nil
	}
}

// parseCertain parses a message that has one meaning only.
func parseCertain(open []Question, text string) (ParsedReplies, bool) {
	kinds := map[QuestionKind]int{}
	for i := range open {
		kinds[open[i].Kind]++
	}
	var found []Reply
	for i := range open {
		q := &open[i]
		if _, numbered := choiceNumber(text); numbered && kinds[ChoiceQuestion] > 1 {
			continue // it is not known which question the number is for
		}
		if value, ok := certainReply(q, text); ok {
			found = append(found, Reply{Question: q.ID, Value: value})
		}
	}
	limited := kinds[ChoiceQuestion] + kinds[ApprovalQuestion] // the others may accept any text
	switch {
	case len(found) == 1 && (limited == len(open) || len(open) == 1):
		return ParsedReplies{Intent: IntentAnswer, Replies: found}, true
	case len(found) == 0 && limited+kinds[FormQuestion] == len(open) && phrase.Says(text, phrase.Abort):
		return ParsedReplies{Intent: IntentAbort, Reason: text}, true
	}
	return ParsedReplies{}, false
}

// certainReply returns the reply to q that a text is for certain.
func certainReply(q *Question, text string) (json.RawMessage, bool) {
	switch q.Kind {
	case ChoiceQuestion:
		if o := chosen(q, text); o != nil && !ambiguous(q, text, o) {
			return jsonString(o.ID), true
		}
	case ApprovalQuestion:
		if v, ok := certainApproval(text); ok {
			return v, true
		}
		return jsonObject(text)
	case FormQuestion:
		return jsonObject(text)
	}
	return nil, false
}

// parseUncertain parses, without a model, a message that looks like a reply and
// may not be one.
func parseUncertain(open []Question, text string) ParsedReplies {
	if len(open) > 1 {
		return ParsedReplies{Intent: IntentNewRequest}
	}
	q := &open[0]
	d, _, rest := decision(text)
	_, numbered := choiceNumber(text)
	switch {
	case q.Kind == ApprovalQuestion && d == DecisionReject:
		return answers(q, approvalJSON(DecisionReject, rest)) // it does not agree, whatever follows
	case q.Kind == ChoiceQuestion && numbered && ambiguous(q, text, chosen(q, text)):
		return answers(q, json.RawMessage("null")) // asked again
	case q.Kind == ApprovalQuestion && d != "",
		q.Kind == ChoiceQuestion && numbered,
		q.Kind == FormQuestion && strings.HasPrefix(text, "{"):
		return answers(q, jsonString(text))
	}
	return ParsedReplies{Intent: IntentNewRequest}
}

// answers returns the result for a message that answers q and nothing else. A
// value that q does not accept has q asked again, with the problem.
func answers(q *Question, value json.RawMessage) ParsedReplies {
	return ParsedReplies{Intent: IntentAnswer, Replies: []Reply{{Question: q.ID, Value: value}}}
}

// jsonString returns s as a JSON string.
func jsonString(s string) json.RawMessage { return json.RawMessage(prompt.Quote(s)) }

// jsonObject returns text if it is one JSON object.
func jsonObject(text string) (json.RawMessage, bool) {
	raw := bytes.TrimSpace([]byte(text))
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return nil, false
	}
	return raw, true
}

// Choice returns the choice that text names for certain, and reports whether
// there is one: by its text, its number from 1 or its ID, in this order.
func (q *Question) Choice(text string) (Choice, bool) {
	if c := chosen(q, text); c != nil {
		return *c, true
	}
	return Choice{}, false
}

func chosen(q *Question, text string) *Choice {
	want := phrase.Normal(text)
	if want == "" {
		return nil
	}
	var found *Choice
	for i := range q.Choices {
		if phrase.Normal(q.Choices[i].Text) == want {
			if found != nil {
				return nil // several choices have this text
			}
			found = &q.Choices[i]
		}
	}
	if found != nil {
		return found
	}
	if n, ok := choiceNumber(text); ok && n >= 1 && n <= len(q.Choices) {
		return &q.Choices[n-1]
	}
	for i := range q.Choices {
		if strings.EqualFold(q.Choices[i].ID, strings.TrimSpace(text)) || phrase.Normal(q.Choices[i].ID) == want {
			if found != nil {
				return nil
			}
			found = &q.Choices[i]
		}
	}
	return found
}

// ambiguous reports whether a text that names a choice is the number of another
// one as well.
func ambiguous(q *Question, text string, o *Choice) bool {
	n, ok := choiceNumber(text)
	return ok && n >= 1 && n <= len(q.Choices) && o != &q.Choices[n-1]
}

// choiceNumber parses "2", "2.", "option 2", "#2" and the like.
func choiceNumber(text string) (int, bool) {
	text = phrase.Normal(text)
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
