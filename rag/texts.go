package rag

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/usertext"
)

// Texts are the texts that the agent writes for users, other than those of the
// model. Empty fields mean the defaults. A name in braces is replaced by its
// value. All but NoAnswer say why an answer is partial.
type Texts struct {
	NoAnswer string // the answer without a text of the model; {reason} is one of the others
	Nothing  string // no passage was found
	Limit    string // the limit of the request was reached before an answer was written
	NoText   string // the model wrote nothing
	CutOff   string // the text is not complete
	NotCited string // the text cites no passage
	Unproved string // the text has numbers that the passages it cites do not have: {numbers}
}

var shippedTexts = map[string]Texts{
	usertext.English: {
		NoAnswer: "I could not answer this from the documents. {reason}",
		Nothing:  "They say nothing about it. Please ask in other words.",
		Limit:    "The limit for one request was reached before an answer was written. Please ask for less at once.",
		NoText:   "Passages were found, but no answer was written. Please ask again.",
		CutOff:   "The text is not complete. Please ask again, or for less at once.",
		NotCited: "The answer names no passage of the documents. Please check it.",
		Unproved: answertext.UnprovedByDocuments,
	},
	usertext.German: {
		NoAnswer: "Das konnte ich aus den Dokumenten nicht beantworten. {reason}",
		Nothing:  "Sie sagen dazu nichts. Bitte fragen Sie mit anderen Worten.",
		Limit:    "Die Grenze für eine Anfrage war erreicht, bevor eine Antwort geschrieben wurde. Bitte fragen Sie nach weniger auf einmal.",
		NoText:   "Es wurden Stellen gefunden, aber keine Antwort geschrieben. Bitte fragen Sie noch einmal.",
		CutOff:   "Der Text ist nicht vollständig. Bitte fragen Sie noch einmal oder nach weniger auf einmal.",
		NotCited: "Die Antwort nennt keine Stelle der Dokumente. Bitte prüfen Sie sie.",
		Unproved: answertext.UnprovedByDocumentsGerman,
	},
}

// texts returns the texts in the language of the turn.
func (a *agent) texts(ctx context.Context) *Texts { return a.text.In(qed.Info(ctx).Language) }
