package question

import (
	"context"
	"embed"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/internal/stockphrases"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// readReplyPrompt is parsed once, as many turns need it.
var readReplyPrompt = sync.OnceValue(func() *template.Template {
	return promptset.Parse(promptFiles, "read_reply.tmpl")
})

// A readMessage is the model's reply.
type readMessage struct {
	Intent  Intent       `json:"intent" jsonschema:"enum=exact_answer,enum=modification,enum=new_request,enum=abort"`
	Answers []readAnswer `json:"answers,omitempty" jsonschema_description:"with exact_answer: one for each question that is answered"`
	Reason  string       `json:"reason,omitempty" jsonschema_description:"one sentence why"`
}

type readAnswer struct {
	Question string `json:"question" jsonschema_description:"the id of the question"`
	Value    string `json:"value"`
}

// readingData is the data of the prompt. All of it is untrusted.
type readingData struct {
	Questions []readingQuestion
	Message   string
}

type readingQuestion struct {
	ID, Text, Problem, Schema string
	Kind                      Kind
	Options                   []readingChoice
	More                      int // choices that are not shown
}

type readingChoice struct {
	Number int
	Text   string
}

const (
	maxQuestionText = 2000 // bytes
	maxChoiceText   = 200
	maxChoices      = 200
	maxSchema       = 4000
	maxReason       = 300 // of the model's reason, which is for the log
)

// parseByModel asks the model to parse a message.
func parseByModel(ctx context.Context, m *modelcall.Model, open []Question, text string) (Parsed, error) {
	data := readingData{Message: text}
	for _, q := range open {
		shown := readingQuestion{
			ID:      q.ID,
			Text:    prompt.Clip(q.Text, maxQuestionText),
			Problem: prompt.Clip(q.Problem, maxQuestionText),
			Kind:    q.Kind,
			More:    max(0, len(q.Choices)-maxChoices),
		}
		if q.Kind == KindForm {
			shown.Schema = prompt.Clip(string(q.Schema), maxSchema)
		}
		for i, o := range q.Choices[:min(len(q.Choices), maxChoices)] {
			shown.Options = append(shown.Options, readingChoice{i + 1, prompt.Clip(o.Text, maxChoiceText)})
		}
		data.Questions = append(data.Questions, shown)
	}
	req, err := m.Request("read_reply", readReplyPrompt(), data, nil)
	if err != nil {
		return Parsed{}, err
	}
	said, err := modelcall.Object[readMessage](ctx, m, req)
	if modelcall.Unusable(err) {
		return unread(open, text), nil
	}
	if err != nil {
		return Parsed{}, err
	}
	parsed := Parsed{Intent: said.Intent, Reason: prompt.Clip(said.Reason, maxReason)}
	if said.Intent == IntentAnswer {
		parsed.Replies = usableReplies(open, said.Answers, text)
		if len(parsed.Replies) == 0 {
			parsed = unanswered(open, text, parsed.Reason)
		}
	}
	return parsed, nil
}

// unread returns the result for a message that the model could not read.
func unread(open []Question, text string) Parsed {
	if stockphrases.Says(text, stockphrases.Abort) {
		return Parsed{Intent: IntentAbort}
	}
	return unanswered(open, text, "the model's reading of the message is malformed")
}

// usableReplies returns the answers that can be used, at most one for a
// question.
func usableReplies(open []Question, answers []readAnswer, text string) []Reply {
	var usable []Reply
	for i := range open {
		q := &open[i]
		for _, answer := range answers {
			if answer.Question != q.ID {
				continue
			}
			if value, ok := usableReply(q, answer.Value, text); ok {
				usable = append(usable, Reply{Question: q.ID, Value: value})
				break
			}
		}
	}
	return usable
}

// usableReply returns the model's answer as a reply to q, and reports whether q
// accepts it.
func usableReply(q *Question, value, text string) (json.RawMessage, bool) {
	switch q.Kind {
	case KindChoice:
		return q.certainChoice(value)
	case KindForm:
		return jsonObject(value)
	case KindApproval:
		if stockphrases.Says(value, approveWords) {
			return approvalJSON(Approve, ""), true
		}
		d, _, reason := decision(value)
		return approvalJSON(Reject, quotedFrom(text, reason)), d == Reject
	}
	if words := quotedFrom(text, value); words != "" {
		return jsonString(words), true
	}
	return jsonString(text), true
}

// quotedFrom returns words as they are written in text, in any case, or nothing
// if text does not have them.
func quotedFrom(text, words string) string {
	words = strings.TrimSpace(words)
	for i := 0; words != "" && i+len(words) <= len(text); i++ {
		if found := text[i : i+len(words)]; utf8.RuneStart(text[i]) && strings.EqualFold(found, words) {
			return found
		}
	}
	return ""
}

// unanswered returns the result for a message that the model says is an answer,
// if none of its answers can be used. The message becomes the reply to a
// question, which is then asked again. If the question would accept the message,
// which may be meant for another question, the reply is null. If all questions
// ask for free text it is not known which one the message answers: it is a
// modification.
func unanswered(open []Question, text, reason string) Parsed {
	for i := range open {
		q := &open[i]
		if len(open) == 1 || q.Kind != KindText {
			value := jsonString(text)
			if q.Kind != KindText && q.Check(value) == nil {
				value = json.RawMessage("null")
			}
			parsed := answers(q, value)
			parsed.Reason = reason
			return parsed
		}
	}
	reason += " (it is not clear which of " + strconv.Itoa(len(open)) + " questions the message answers)"
	return Parsed{Intent: IntentModification, Reason: reason}
}
