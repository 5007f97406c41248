package qed

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
)

// Texts are the texts that the runtime writes for users. See [WithTexts]. Empty
// fields mean the defaults. A name in braces is replaced by its value.
type Texts struct {
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

var shippedTexts = map[string]Texts{
	usertext.English: {
		Failed:           "Something went wrong. Please try again. If it happens again, tell the people who run this service.",
		Busy:             "Another message of this conversation is still being answered. Wait for its answer, then send yours again.",
		WrongUser:        "This conversation belongs to somebody else. Please start a new one.",
		Conflict:         "The conversation was changed at the same time. Load it again, then repeat your message.",
		QuestionClosed:   "This question is not open any more. Please send a new message.",
		QuestionAnswered: "This question was answered before: {reply}. To change that, please send a new message.",
		TurnRunning:      "This message is being answered. Its answer will be here in a moment.",
		TurnReused:       "This message has the id of another one. Please send it again as a new message.",
		TurnGivenUp:      "This message was not answered, because a later one came before its answer. Please send it again as a new message.",
		InvalidTurnID:    "The id of this message cannot be used. Please send it again as a new message.",
		InvalidReply:     "The reply does not fit the question. Please answer it again.",
		Unresolved:       "An action was started, and it is not known whether it took effect. Check that first, then send a new message.",
		GraphChanged:     "This request cannot be continued, because the service has changed. Please send it again.",
		Nondeterministic: "This request cannot be continued. Please send it again.",
		Budget:           "This request needs more work than one request may take. Ask a narrower question, or ask in parts.",
		InvalidThread:    "This conversation cannot be used. Please start a new one.",
		Corrupt:          "This conversation cannot be read. Please start a new one.",
		EmptyTurn:        "The message is empty. Write what you want to know.",
		MessageTooLong:   "The message is too long. Please send less at once.",
		Canceled:         "The request was stopped. Send it again if you still need the answer.",
		Timeout:          "This took too long. Try again, or ask a narrower question.",
		ModelBusy:        "The language model cannot be reached right now, or has too much to do. Please try again in a moment.",
		ModelFailed:      "The language model gave no usable answer. Please try again, or ask in other words.",
		ModelDeclined:    "The language model declined to answer this. Please ask in other words.",
		TooLong:          "This is too long for the language model. Start a new conversation, or send less at once.",
		Aborted:          "All right.",
		MayCall:          "May {tool} be called with this?",
		MayCallForTask:   "{task}\nMay {tool} be called with this?",
		ChangedUnusable:  "The changed value cannot be used: {problem}",
		ApprovalOpen: "Your message did not answer this, so it is still open and nothing was done. " +
			"Answer yes or no, or say \"never mind\" to drop it.",
	},
	usertext.German: {
		Failed:           "Etwas ist schiefgegangen. Bitte versuchen Sie es noch einmal. Wenn es wieder geschieht, melden Sie es den Betreibern.",
		Busy:             "Eine andere Nachricht dieser Unterhaltung wird noch beantwortet. Warten Sie auf die Antwort und senden Sie Ihre Nachricht dann noch einmal.",
		WrongUser:        "Diese Unterhaltung gehört jemand anderem. Bitte beginnen Sie eine neue.",
		Conflict:         "Die Unterhaltung wurde gleichzeitig geändert. Laden Sie sie neu und wiederholen Sie Ihre Nachricht.",
		QuestionClosed:   "Diese Frage ist nicht mehr offen. Bitte senden Sie eine neue Nachricht.",
		QuestionAnswered: "Diese Frage wurde schon beantwortet: {reply}. Wenn Sie das ändern möchten, senden Sie bitte eine neue Nachricht.",
		TurnRunning:      "Diese Nachricht wird gerade beantwortet. Ihre Antwort ist gleich da.",
		TurnReused:       "Diese Nachricht hat die Kennung einer anderen. Bitte senden Sie sie noch einmal als neue Nachricht.",
		TurnGivenUp:      "Diese Nachricht wurde nicht beantwortet, weil vor der Antwort eine spätere kam. Bitte senden Sie sie noch einmal als neue Nachricht.",
		InvalidTurnID:    "Die Kennung dieser Nachricht kann nicht verwendet werden. Bitte senden Sie sie noch einmal als neue Nachricht.",
		InvalidReply:     "Die Antwort passt nicht zu der Frage. Bitte antworten Sie noch einmal.",
		Unresolved:       "Eine Aktion wurde begonnen, und es ist nicht bekannt, ob sie gewirkt hat. Prüfen Sie das zuerst und senden Sie dann eine neue Nachricht.",
		GraphChanged:     "Diese Anfrage kann nicht fortgesetzt werden, weil sich der Dienst geändert hat. Bitte senden Sie sie noch einmal.",
		Nondeterministic: "Diese Anfrage kann nicht fortgesetzt werden. Bitte senden Sie sie noch einmal.",
		Budget:           "Diese Anfrage braucht mehr Arbeit, als für eine Anfrage erlaubt ist. Fragen Sie enger oder in Teilen.",
		InvalidThread:    "Diese Unterhaltung kann nicht verwendet werden. Bitte beginnen Sie eine neue.",
		Corrupt:          "Diese Unterhaltung kann nicht gelesen werden. Bitte beginnen Sie eine neue.",
		EmptyTurn:        "Die Nachricht ist leer. Schreiben Sie, was Sie wissen möchten.",
		MessageTooLong:   "Die Nachricht ist zu lang. Bitte senden Sie weniger auf einmal.",
		Canceled:         "Die Anfrage wurde abgebrochen. Senden Sie sie noch einmal, wenn Sie die Antwort noch brauchen.",
		Timeout:          "Das hat zu lange gedauert. Versuchen Sie es noch einmal oder fragen Sie enger.",
		ModelBusy:        "Das Sprachmodell ist gerade nicht erreichbar oder überlastet. Bitte versuchen Sie es gleich noch einmal.",
		ModelFailed:      "Das Sprachmodell hat keine brauchbare Antwort gegeben. Bitte versuchen Sie es noch einmal oder fragen Sie mit anderen Worten.",
		ModelDeclined:    "Das Sprachmodell hat die Antwort abgelehnt. Bitte fragen Sie mit anderen Worten.",
		TooLong:          "Das ist zu lang für das Sprachmodell. Beginnen Sie eine neue Unterhaltung oder senden Sie weniger auf einmal.",
		Aborted:          "In Ordnung.",
		MayCall:          "Darf {tool} damit aufgerufen werden?",
		MayCallForTask:   "{task}\nDarf {tool} damit aufgerufen werden?",
		ChangedUnusable:  "Der geänderte Wert kann nicht verwendet werden: {problem}",
		ApprovalOpen: "Ihre Nachricht hat diese Frage nicht beantwortet. Sie ist noch offen, und nichts wurde ausgeführt. " +
			"Antworten Sie mit Ja oder Nein, oder sagen Sie „vergiss es“, um sie zu verwerfen.",
	},
}

var defaultTexts = usertext.New(shippedTexts, nil)

type textsKey struct{}

// WithTexts returns a context whose runs write texts for users with the given
// ones, by language, such as "de". English and German are built in; the texts of
// another language are used if [Turn.Language] names it. The agents of this
// module have options for their own texts.
func WithTexts(ctx context.Context, texts map[string]Texts) context.Context {
	return context.WithValue(ctx, textsKey{}, usertext.New(shippedTexts, texts))
}

// textsOf returns the texts of a context in a language.
func textsOf(ctx context.Context, language string) *Texts {
	if own, ok := ctx.Value(textsKey{}).(usertext.Table[Texts]); ok {
		return own.In(language)
	}
	return defaultTexts.In(language)
}

// texts returns the texts of the run that s is part of.
func (s *scope) texts() *Texts { return textsOf(s, s.language()) }

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
func (t *Texts) failed(err, done error, now time.Time) Failed {
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
	if f.Message == "" {
		f.Message = t.Failed
	}
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
