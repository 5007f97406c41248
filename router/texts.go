package router

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
)

// Texts are the texts that the router writes for users. Empty fields mean the
// defaults. All but Topics say why an answer is partial.
type Texts struct {
	Topics   string // the answer if no route can be chosen; the descriptions of the routes follow
	NoRoute  string // no route can be chosen
	NoText   string // the model wrote nothing
	Declined string // the model declined to answer
	CutOff   string // the text is not complete
}

var shippedTexts = map[string]Texts{
	usertext.English: {
		Topics:   "I could not find out what this question is about. You can ask me about:",
		NoRoute:  "It is not clear what the question is about. Please name the topic.",
		NoText:   "No answer was written. Please ask again.",
		Declined: "I cannot help with this. Please ask about something else.",
		CutOff:   "The text is not complete. Please ask again.",
	},
	usertext.German: {
		Topics:   "Ich konnte nicht herausfinden, worum es in dieser Frage geht. Sie können mich fragen nach:",
		NoRoute:  "Es ist nicht klar, worum es in der Frage geht. Bitte nennen Sie das Thema.",
		NoText:   "Es wurde keine Antwort geschrieben. Bitte fragen Sie noch einmal.",
		Declined: "Dabei kann ich nicht helfen. Bitte fragen Sie nach etwas anderem.",
		CutOff:   "Der Text ist nicht vollständig. Bitte fragen Sie noch einmal.",
	},
}

// texts returns the texts in the language of the turn.
func (r *router) texts(ctx context.Context) *Texts { return r.text.In(qed.Info(ctx).Language) }
