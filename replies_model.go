package qed

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/phrase"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// readMessage is what the model says of a message.
type readMessage struct {
	Intent  Intent       `json:"intent" jsonschema:"enum=exact_answer,enum=modification,enum=new_request,enum=abort"`
	Answers []readAnswer `json:"answers,omitempty" jsonschema_description:"with exact_answer: one for each question that is answered"`
	Reason  string       `json:"reason,omitempty" jsonschema_description:"one sentence why"`
}

type readAnswer struct {
	Question string `json:"question" jsonschema_description:"the id of the question"`
	Value    string `json:"value"`
}

// readingData is what the prompt for reading a message is given. All of it is data.
type readingData struct {
	Questions []readingQuestion
	Message   string
}

type readingQuestion struct {
	ID, Text, Problem, Schema string
	Kind                      QuestionKind
	Options                   []readingOption
	More                      int // options that are not shown
}

type readingOption struct {
	Number int
	Text   string
}

const (
	maxQuestionText = 2000 // bytes
	maxOptionText   = 200
	maxOptions      = 200
	maxSchema       = 4000
)

// read has the model read a message.
func readByModel(ctx context.Context, m *asking.Model, open []Question, text string) (ParsedReplies, error) {
	data := readingData{Message: text}
	for _, q := range open {
		shown := readingQuestion{
			ID:      q.ID,
			Text:    prompt.Clip(q.Text, maxQuestionText),
			Problem: prompt.Clip(q.Problem, maxQuestionText),
			Kind:    q.Kind,
			More:    max(0, len(q.Choices)-maxOptions),
		}
		if q.Kind == FormQuestion {
			shown.Schema = prompt.Clip(string(q.Schema), maxSchema)
		}
		for i, o := range q.Choices[:min(len(q.Choices), maxOptions)] {
			shown.Options = append(shown.Options, readingOption{i + 1, prompt.Clip(o.Text, maxOptionText)})
		}
		data.Questions = append(data.Questions, shown)
	}
	req, err := m.Request("read_reply", ownPrompt("read_reply.tmpl"), data, nil)
	if err != nil {
		return ParsedReplies{}, err
	}
	var usage llm.Usage
	said, err := asking.Object[readMessage](ctx, m, &usage, req)
	if err != nil {
		return ParsedReplies{}, err
	}
	reading := ParsedReplies{Intent: said.Intent, Reason: prompt.Clip(said.Reason, maxReason)}
	if said.Intent == IntentAnswer {
		reading.Replies = replies(open, said.Answers, text)
		if len(reading.Replies) == 0 {
			reading = unanswered(open, text, reading.Reason)
		}
	}
	reading.Usage = usage
	return reading, nil
}

// replies returns the answers that can be used, one for a question.
func replies(open []Question, answers []readAnswer, text string) []Reply {
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

// usableReply returns what the model gives as the reply to q, as far as it can be one.
func usableReply(q *Question, value, text string) (json.RawMessage, bool) {
	switch q.Kind {
	case ChoiceQuestion:
		o := chosen(q, value)
		if o == nil {
			return nil, false
		}
		if ambiguous(q, value, o) {
			return nil, false
		}
		return jsonString(o.ID), true
	case FormQuestion:
		return jsonObject(value)
	case ApprovalQuestion:
		if phrase.Says(value, approveWords) {
			return approvalJSON(DecisionApprove, ""), true
		}
		d, _, reason := decision(value)
		return approvalJSON(DecisionReject, quotedFrom(text, reason)), d == DecisionReject
	}
	if words := quotedFrom(text, value); words != "" {
		return jsonString(words), true
	}
	return jsonString(text), true
}

// quotedFrom returns words as the text has them, whatever their case, and nothing where it does not.
func quotedFrom(text, words string) string {
	words = strings.TrimSpace(words)
	for i := 0; words != "" && i+len(words) <= len(text); i++ {
		if found := text[i : i+len(words)]; utf8.RuneStart(text[i]) && strings.EqualFold(found, words) {
			return found
		}
	}
	return ""
}

// unanswered is the reading of a message that is said to answer and has no answer that can be used. A question is asked again with the message
// as its reply; where all want free text, and nobody knows whose the message is, it is a modification.
func unanswered(open []Question, text, reason string) ParsedReplies {
	for i := range open {
		q := &open[i]
		if len(open) == 1 || q.Kind != TextQuestion {
			reading := answers(q, jsonString(text))
			reading.Reason = reason
			return reading
		}
	}
	return ParsedReplies{Intent: IntentModification, Reason: reason + " (of " + strconv.Itoa(len(open)) + " questions, it is not clear which one the message answers)"}
}
