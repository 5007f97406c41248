package analyst

import (
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/usertext"
)

// Texts are the texts of this package that users see.
type Texts struct {
	Busy        string // too many explorations of the user are running
	NotExplored string // the answer was written without looking at the data
	Unproved    string // before the numbers {numbers} of a report that the model typed
	Unchecked   string // a report whose text is not complete
}

var shippedTexts = map[string]Texts{
	usertext.English: {
		Busy:        "Other analyses of yours are still running. Please wait until one has ended.",
		NotExplored: "Nothing was looked up in the data for this answer.",
		Unproved:    answertext.Unproved,
		Unchecked:   "The report is not complete. Please ask for it again.",
	},
	usertext.German: {
		Busy:        "Andere Analysen von Ihnen laufen noch. Bitte warten Sie, bis eine beendet ist.",
		NotExplored: "Für diese Antwort wurde nichts in den Daten nachgesehen.",
		Unproved:    answertext.UnprovedGerman,
		Unchecked:   "Der Bericht ist nicht vollständig. Bitte fragen Sie noch einmal danach.",
	},
}
