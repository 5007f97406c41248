package toolagent

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/usertext"
)

// Texts are the texts that the agent writes for users, other than those of the
// model. Empty fields mean the defaults. A name in braces is replaced by its
// value. All but NoAnswer and FoundSoFar say why an answer is partial.
type Texts struct {
	NoAnswer   string // the answer if nothing was found; {reason} is one of the others
	FoundSoFar string // the answer without a text of the model; what was found follows
	Limit      string // the limit of the request was reached
	Time       string // its time was over
	Steps      string // {n} steps were taken
	OneStep    string // one step was taken
	NoReply    string // the model's replies could not be used
	BrokeOff   string // the model could not be reached
	Declined   string // the model declined to answer
	CutOff     string // the text is not complete

	Unproved string // what the answer says without proof: {numbers}
}

var shippedTexts = map[string]Texts{
	usertext.English: {
		NoAnswer:   "I could not answer this. {reason}",
		FoundSoFar: "I could not finish the answer. This was found:",
		Limit:      "The limit for one request was reached before everything was looked up. Please ask for less at once.",
		Time:       "The time for one request was over before everything was looked up. Please ask for less at once.",
		Steps:      "The work was ended after {n} steps, so something may be missing. Please ask for less at once.",
		OneStep:    "The work was ended after one step, so something may be missing. Please ask for less at once.",
		NoReply:    "Not everything could be looked up. Please ask again in other words.",
		BrokeOff:   "The work broke off before everything was looked up. Please try again later.",
		Declined:   "I cannot help with this. Please ask about something else.",
		CutOff:     "The text is not complete. Please ask again.",

		Unproved: answertext.Unproved,
	},
	usertext.German: {
		NoAnswer:   "Das konnte ich nicht beantworten. {reason}",
		FoundSoFar: "Ich konnte die Antwort nicht zu Ende bringen. Dies wurde gefunden:",
		Limit:      "Die Grenze für eine Anfrage war erreicht, bevor alles nachgesehen war. Bitte fragen Sie nach weniger auf einmal.",
		Time:       "Die Zeit für eine Anfrage war vorbei, bevor alles nachgesehen war. Bitte fragen Sie nach weniger auf einmal.",
		Steps:      "Die Arbeit wurde nach {n} Schritten beendet. Etwas kann fehlen. Bitte fragen Sie nach weniger auf einmal.",
		OneStep:    "Die Arbeit wurde nach einem Schritt beendet. Etwas kann fehlen. Bitte fragen Sie nach weniger auf einmal.",
		NoReply:    "Nicht alles konnte nachgesehen werden. Bitte fragen Sie noch einmal mit anderen Worten.",
		BrokeOff:   "Die Arbeit ist abgebrochen, bevor alles nachgesehen war. Bitte versuchen Sie es später noch einmal.",
		Declined:   "Dabei kann ich nicht helfen. Bitte fragen Sie nach etwas anderem.",
		CutOff:     "Der Text ist nicht vollständig. Bitte fragen Sie noch einmal.",

		Unproved: answertext.UnprovedGerman,
	},
}

// texts returns the texts in the language of the turn.
func (a *agent) texts(ctx context.Context) *Texts { return a.text.In(qed.Info(ctx).Language) }

func (t *Texts) stepsReason(n int) string {
	if n == 1 {
		return t.OneStep
	}
	return usertext.Fill(t.Steps, "n", strconv.Itoa(n))
}

// budgetReason returns the reason for an error that matches [budget.ErrExceeded].
func (t *Texts) budgetReason(err error) string {
	if e, ok := errors.AsType[*budget.Error](err); ok && e.What == "time" {
		return t.Time
	}
	return t.Limit
}

// firstText returns the first text that is not blank, trimmed.
func firstText(texts ...string) string {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}
