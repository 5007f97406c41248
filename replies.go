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

// ParseReplies returns a function for [DurableOptions.ParseReplies]: it reads a message that comes while questions are open.
//
// What is beyond doubt needs no model. A choice is answered by the text of an option, its number from 1 ("2", "2.", "option 2", "#2")
// or its ID, whatever the case, the punctuation and the spaces around it; an approval by words such as "yes", "approve", "ok", or "no", "reject", with
// a reason after a colon, or by "edit:" and the changed value as JSON; a form by a JSON object. "Never mind" and the like are an abort, unless
// a free text is asked for. Where several questions are open, that holds for a message that can answer only one of them;
// the others stay open.
//
// Everything else the model reads: an answer in other words, a change of what was asked for, something else, or that the user
// wants nothing more. It is shown the questions, but no draft of what is to be approved. What it says is checked: an
// answer to no open question is dropped, the answer to a choice must be one of the options, that to a free text must be words of the message, or else is the
// whole message. Where it says that the message answers and has no answer that can be used, the message itself is the reply, so
// that the question is asked again, with the problem. Its error is returned: the questions stay open, and nothing is lost.
//
// An approval that must not rest on a model's reading needs a nil model here, or [Turn.Replies]. With a nil model, a message that is
// meant as an answer and cannot be one, such as a number that no option has, or "yes" with a condition, is asked again; all else is a new request.
//
// The requests have the name "read_reply" ([llm.Request.Name]).
func ParseReplies(model llm.Model, s llm.Settings) func(ctx context.Context, open []Question, turn Turn) (ParsedReplies, error) {
	if model == nil {
		return readReplies(nil)
	}
	m, err := asking.New("qed: ParseReplies", model, s, DurableModel)
	if err != nil {
		return func(context.Context, []Question, Turn) (ParsedReplies, error) { return ParsedReplies{}, err }
	}
	return readReplies(m)
}

// maxMessage is how long a message may be that answers anything, in bytes. To read only its beginning could misread it.
const maxMessage = 16 << 10

// readReplies is ParseReplies with a model that is asked as a says; nil means none.
func readReplies(m *asking.Model) func(ctx context.Context, open []Question, turn Turn) (ParsedReplies, error) {
	return func(ctx context.Context, open []Question, turn Turn) (ParsedReplies, error) {
		text := strings.TrimSpace(turn.Text)
		switch {
		case text == "" || len(open) == 0:
			return ParsedReplies{Intent: IntentNewRequest}, nil
		case len(text) > maxMessage:
			return ParsedReplies{Intent: IntentNewRequest, Reason: "the message is too long for a reply"}, nil
		}
		if reading, ok := plainly(open, text); ok {
			return reading, nil
		}
		if m != nil {
			return readByModel(ctx, m, open, text)
		}
		return attempt(open, text), nil
	}
}

// plainly reads a message that can mean one thing only.
func plainly(open []Question, text string) (ParsedReplies, bool) {
	kinds := map[QuestionKind]int{}
	for i := range open {
		kinds[open[i].Kind]++
	}
	var found []Reply
	for i := range open {
		q := &open[i]
		if _, numbered := optionNumber(text); numbered && kinds[ChoiceQuestion] > 1 {
			continue // an option of which question?
		}
		if value, ok := plainReply(q, text); ok {
			found = append(found, Reply{Question: q.ID, Value: value})
		}
	}
	closed := kinds[ChoiceQuestion] + kinds[ApprovalQuestion] // others may take any text
	switch {
	case len(found) == 1 && (closed == len(open) || len(open) == 1):
		return ParsedReplies{Intent: IntentAnswer, Replies: found}, true
	case len(found) == 0 && closed+kinds[FormQuestion] == len(open) && phrase.Says(text, phrase.Abort):
		return ParsedReplies{Intent: IntentAbort, Reason: text}, true
	}
	return ParsedReplies{}, false
}

// plainReply returns the reply to q that a text is beyond doubt.
func plainReply(q *Question, text string) (json.RawMessage, bool) {
	switch q.Kind {
	case ChoiceQuestion:
		if o := chosen(q, text); o != nil && !ambiguous(q, text, o) {
			return jsonString(o.ID), true
		}
	case ApprovalQuestion:
		if v, ok := plainApproval(text); ok {
			return v, true
		}
		return jsonObject(text)
	case FormQuestion:
		return jsonObject(text)
	}
	return nil, false
}

// attempt reads without a model a message that is no reply, and may be meant as one.
func attempt(open []Question, text string) ParsedReplies {
	if len(open) > 1 {
		return ParsedReplies{Intent: IntentNewRequest}
	}
	q := &open[0]
	d, _, rest := decision(text)
	_, numbered := optionNumber(text)
	switch {
	case q.Kind == ApprovalQuestion && d == DecisionReject:
		return answers(q, approvalJSON(DecisionReject, rest)) // whatever else it says, it does not agree
	case q.Kind == ChoiceQuestion && numbered && ambiguous(q, text, chosen(q, text)):
		return answers(q, json.RawMessage("null")) // asked again
	case q.Kind == ApprovalQuestion && d != "",
		q.Kind == ChoiceQuestion && numbered,
		q.Kind == FormQuestion && strings.HasPrefix(text, "{"):
		return answers(q, jsonString(text))
	}
	return ParsedReplies{Intent: IntentNewRequest}
}

// answers is the reading of a message that answers q and nothing else. A value that cannot be one has q asked again, with
// what is wrong with it.
func answers(q *Question, value json.RawMessage) ParsedReplies {
	return ParsedReplies{Intent: IntentAnswer, Replies: []Reply{{Question: q.ID, Value: value}}}
}

func jsonString(s string) json.RawMessage { return json.RawMessage(prompt.Quote(s)) }

// jsonObject returns a text that is one JSON object.
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
				return nil // several are called so
			}
			found = &q.Choices[i]
		}
	}
	if found != nil {
		return found
	}
	if n, ok := optionNumber(text); ok && n >= 1 && n <= len(q.Choices) {
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

// ambiguous reports whether a text that means an option is the number of another one as well.
func ambiguous(q *Question, text string, o *Choice) bool {
	n, ok := optionNumber(text)
	return ok && n >= 1 && n <= len(q.Choices) && o != &q.Choices[n-1]
}

// optionNumber reads "2", "2.", "option 2", "#2" and the like.
func optionNumber(text string) (int, bool) {
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
		n = -1 // larger than any
	}
	return n, true
}
