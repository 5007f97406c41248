package question

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/stockphrases"
	"github.com/qedkit/qed/llm"
)

// An Intent is the intent of a message that comes while questions or a plan are
// open.
type Intent string

const (
	IntentAnswer       Intent = "exact_answer" // only answers: the run is resumed
	IntentModification Intent = "modification" // changes the request: a new run begins
	IntentNewRequest   Intent = "new_request"  // asks for something else: a new run begins
	IntentAbort        Intent = "abort"        // the user wants nothing more
)

// Parsed is the result of parsing a message that came while questions were open.
// See [Parser].
type Parsed struct {
	Intent  Intent
	Replies []Reply // for IntentAnswer: at least one, to open questions
	Reason  string  // why the message has this intent, for the log
}

// Parser returns a function that parses a message that comes while questions
// are open. It is for the field ParseReplies of qed.DurableOptions.
//
// These messages need no model. They may be in upper or lower case, with any
// punctuation and spaces around them:
//
//   - a choice by its text, its number from 1 ("2", "2.", "option 2", "#2") or
//     its ID
//   - words of an approval such as "yes", "approve", "ok", or "no", "reject",
//     with a reason after a colon, or "edit:" and the changed value as JSON
//   - a JSON object for a form or an approval
//   - a command, which is a word that begins with a slash, if the text of a
//     question for free text names it: "Reply /end to begin." The command is the
//     reply to each question that names it.
//   - "never mind" and the like, which abort the run, unless a question asks
//     for free text
//
// If several questions are open, this applies to a message that can answer only
// one of them; the others stay open.
//
// The model reads every other message: as an answer in other words, a
// modification of the request, a new request, or an abort. The model receives
// the questions, but not the draft of an approval. Its result is checked:
//
//   - An answer to a question that is not open is dropped.
//   - An answer to a choice must be one of the choices.
//   - An answer to a free text must be words of the message. If it is not, the
//     whole message is the reply.
//   - If the model reads the message as an answer, but none of its answers can
//     be used, the message itself is the reply. The question then does not
//     accept it, and is asked again with the problem.
//   - If the model's output is malformed, cut off or a refusal, the message itself is
//     the reply, too.
//   - If the model fails, the function returns its error: the questions stay
//     open, and nothing is lost.
//
// If an approval must not depend on a model, use a nil model here, or a turn
// with Replies. With a nil model, some messages look like an answer and cannot
// be used, such as a number without a choice, or "yes" with a condition: the
// question is then asked again. Everything else is a new request, and so is a
// message of more than 16 KiB.
//
// The requests have the name "read_reply" ([llm.Request].Name). Their tokens
// are spent of the budget of a run if the model is a qed.DurableModel.
func Parser(model llm.Model, s llm.Settings) func(ctx context.Context, open []Question, text string) (Parsed, error) {
	if model == nil {
		return parser(nil)
	}
	m, err := modelcall.New("question", model, s, func(m llm.Model) llm.Model { return m })
	if err != nil {
		return func(context.Context, []Question, string) (Parsed, error) { return Parsed{}, err }
	}
	return parser(m)
}

// maxMessage is how long a message may be to be a reply, in bytes. To read only
// its beginning could misread it.
const maxMessage = 16 << 10

// parser is Parse with a model; nil means none.
func parser(m *modelcall.Model) func(ctx context.Context, open []Question, text string) (Parsed, error) {
	return func(ctx context.Context, open []Question, text string) (Parsed, error) {
		text = strings.TrimSpace(text)
		switch {
		case text == "" || len(open) == 0:
			return Parsed{Intent: IntentNewRequest}, nil
		case len(text) > maxMessage:
			return Parsed{Intent: IntentNewRequest, Reason: "the message is too long for a reply"}, nil
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
func parseCertain(open []Question, text string) (Parsed, bool) {
	if commanded := commandReplies(open, text); commanded != nil {
		return Parsed{Intent: IntentAnswer, Replies: commanded}, true
	}
	kinds := map[Kind]int{}
	for i := range open {
		kinds[open[i].Kind]++
	}
	var found []Reply
	for i := range open {
		q := &open[i]
		if _, numbered := choiceNumber(text); numbered && kinds[KindChoice] > 1 {
			continue // it is not known which question the number is for
		}
		if value, ok := certainReply(q, text); ok {
			found = append(found, Reply{Question: q.ID, Value: value})
		}
	}
	limited := kinds[KindChoice] + kinds[KindApproval] // the others may accept any text
	switch {
	case len(found) == 1 && (limited == len(open) || len(open) == 1):
		return Parsed{Intent: IntentAnswer, Replies: found}, true
	case len(found) == 0 && limited+kinds[KindForm] == len(open) && stockphrases.Says(text, stockphrases.Abort):
		return Parsed{Intent: IntentAbort, Reason: text}, true
	}
	return Parsed{}, false
}

// commandReplies returns the replies to the questions for free text that name a
// command, such as /end, if text is one.
func commandReplies(open []Question, text string) (replies []Reply) {
	if !strings.HasPrefix(text, "/") {
		return nil
	}
	for _, q := range open {
		isText := func(word string) bool { return strings.EqualFold(strings.Trim(word, "\"'(),.:;!?"), text) }
		if q.Kind == KindText && slices.ContainsFunc(strings.Fields(q.Text), isText) {
			replies = append(replies, Reply{Question: q.ID, Value: jsonString(text)})
		}
	}
	return replies
}

// certainReply returns the reply to q that a text is for certain.
func certainReply(q *Question, text string) (json.RawMessage, bool) {
	switch q.Kind {
	case KindChoice:
		return q.certainChoice(text)
	case KindApproval:
		if v, ok := certainApproval(text); ok {
			return v, true
		}
		return jsonObject(text)
	case KindForm:
		return jsonObject(text)
	}
	return nil, false
}

// parseUncertain parses, without a model, a message that looks like a reply and
// may not be one.
func parseUncertain(open []Question, text string) Parsed {
	if len(open) > 1 {
		return Parsed{Intent: IntentNewRequest}
	}
	q := &open[0]
	d, _, rest := decision(text)
	_, numbered := choiceNumber(text)
	switch {
	case q.Kind == KindApproval && d == Reject:
		return answers(q, approvalJSON(Reject, rest)) // it does not agree, whatever follows
	case q.Kind == KindChoice && numbered && q.ambiguous(text, q.named(text)):
		return answers(q, json.RawMessage("null")) // asked again
	case q.Kind == KindApproval && d != "",
		q.Kind == KindChoice && numbered,
		q.Kind == KindForm && strings.HasPrefix(text, "{"):
		return answers(q, jsonString(text))
	}
	return Parsed{Intent: IntentNewRequest}
}

// answers returns the result for a message that answers q and nothing else. A
// value that q does not accept has q asked again, with the problem.
func answers(q *Question, value json.RawMessage) Parsed {
	return Parsed{Intent: IntentAnswer, Replies: []Reply{{Question: q.ID, Value: value}}}
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
