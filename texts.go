package qed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
)

// texts are the texts that the runtime writes for users. A name in braces is replaced
// by its value.
type texts struct {
	// The Message of a [Failed] event by its Code. Failed is for every other code,
	// such as that of a wrong key, which only the host can change.
	Failed           string
	Busy             string
	WrongUser        string
	Conflict         string
	QuestionClosed   string
	QuestionAnswered string // {reply}
	TurnRunning      string
	TurnReused       string
	TurnGivenUp      string
	InvalidTurnID    string
	InvalidReply     string
	Unresolved       string
	GraphChanged     string
	Nondeterministic string
	Budget           string
	InvalidThread    string
	Corrupt          string
	EmptyTurn        string
	MessageTooLong   string
	Canceled         string
	Timeout          string
	ModelBusy        string // the model cannot be asked now
	ModelFailed      string // the model gave no reply that can be used
	ModelDeclined    string // the model, or a filter before it, declined
	TooLong          string // the conversation is too long for the model
	Aborted          string // the answer after [question.IntentAbort]
	MayCall          string // the question whether {tool} may be called
	MayCallForTask   string // the same for the {task} of a plan
	ChangedUnusable  string // an edited value does not fit; {problem}
	ApprovalOpen     string // a message did not answer an approval, which stays open
}

var textTable = usertext.Of[texts]("qed")

// Texts are the texts of a host for users, in place of those of this module. See
// [ReadTexts].
type Texts struct{ own *usertext.Texts }

// ReadTexts reads the texts of a host from files named by language, such as fr.json or
// de.json. A file has the form of internal/usertext/texts/en.json, which has all texts
// that the code of this module writes for users: a package, and in it names and texts.
// A name in braces is replaced by its value. Texts that a file does not have are those
// of this module, which has English and German. ReadTexts returns an error for a name
// that does not exist.
func ReadTexts(files fs.FS) (*Texts, error) {
	own, err := usertext.Read(files)
	if err != nil {
		return nil, fmt.Errorf("qed: reading texts: %w", err)
	}
	return &Texts{own}, nil
}

// WithTexts returns a context whose runs write the texts of a host, in the language of
// the turn: see [Turn.Language].
func WithTexts(ctx context.Context, texts *Texts) context.Context {
	return usertext.With(ctx, texts.own)
}

// texts returns the texts of the run that s is part of.
func (s *scope) texts() *texts { return textTable.In(s, s.language()) }

// language returns the language of the turn that s is part of.
func (s *scope) language() string {
	if s.turn == nil {
		return usertext.English
	}
	s.turn.readLanguage.Do(func() {
		s.turn.language = cmp.Or(s.turn.language, languageOf(s.turn.Turn), usertext.English)
	})
	return s.turn.language
}

// languageOf returns the language of a turn: that of its Language, or else of its
// own text or of the last message of the user that shows one. It is empty if it
// is not known.
func languageOf(turn Turn) string {
	if turn.Language != "" {
		return usertext.Base(turn.Language)
	}
	said := []string{turn.Text}
	for _, m := range slices.Backward(turn.History) {
		if m.Role == llm.RoleUser {
			said = append(said, m.Content)
		}
	}
	return usertext.LanguageOf(said...)
}

// failed returns the event of a turn that failed with err. done is the error of
// its context, if any.
func (t *texts) failed(err, done error, now time.Time) Failed {
	f := Failed{Code: codeOf(err), RetryAt: retryAt(err, now)}
	if errors.Is(done, context.DeadlineExceeded) && f.Code == "model_timeout" {
		f.Code = "timeout" // the turn had no time left for the model
	}
	f.Message = map[string]string{
		"busy":             t.Busy,
		"wrong_user":       t.WrongUser,
		"conflict":         t.Conflict,
		"question_closed":  t.QuestionClosed,
		"turn_running":     t.TurnRunning,
		"turn_reused":      t.TurnReused,
		"turn_given_up":    t.TurnGivenUp,
		"invalid_turn_id":  t.InvalidTurnID,
		"invalid_reply":    t.InvalidReply,
		"unresolved":       t.Unresolved,
		"graph_changed":    t.GraphChanged,
		"nondeterministic": t.Nondeterministic,
		"budget":           t.Budget,
		"invalid_thread":   t.InvalidThread,
		"corrupt":          t.Corrupt,
		"empty_turn":       t.EmptyTurn,
		"message_too_long": t.MessageTooLong,
		"canceled":         t.Canceled,
		"timeout":          t.Timeout,

		"model_rate_limit":     t.ModelBusy,
		"model_unavailable":    t.ModelBusy,
		"model_timeout":        t.ModelBusy,
		"model_truncated":      t.ModelFailed,
		"model_invalid_output": t.ModelFailed,
		"model_protocol":       t.ModelFailed,
		"model_refusal":        t.ModelDeclined,
		"model_context_length": t.TooLong,
	}[f.Code]
	if f.Code == "question_answered" {
		said := "?"
		if e, ok := errors.AsType[*AnsweredError](err); ok {
			said = prompt.Clip(question.Reply{Value: e.Reply}.Text(), 200)
		}
		f.Message = usertext.Fill(t.QuestionAnswered, "reply", said)
	}
	if told, ok := errors.AsType[interface {
		error
		UserText() string
	}](err); ok && f.Message == "" {
		f.Message = told.UserText()
	}
	f.Message = cmp.Or(f.Message, t.Failed)
	return f
}

// retryAt returns when a failed turn can be tried again, or zero.
func retryAt(err error, now time.Time) time.Time {
	if busy, ok := errors.AsType[*BusyError](err); ok {
		return busy.RetryAt
	}
	if e, ok := errors.AsType[*llm.Error](err); ok && e.RetryAfter > 0 {
		return now.Add(e.RetryAfter)
	}
	return time.Time{}
}
