package searchagent

import (
	"context"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/usertext"
)

// Texts are the texts that the agent writes for users, other than those of the
// model. Empty fields mean the defaults. A name in braces is replaced by its
// value: {step} is what a step of the plan looks for.
type Texts struct {
	// The list of documents that [Options.ListOnly] asks for.
	Found  string // {total} documents were found
	Others string // {n} more documents than are listed

	// The answer without a text of the model. {reason} says why.
	NoAnswer string
	FoundBut string // documents were found: {total}

	// Why an answer is partial.
	NoPlan       string // the model made no plan that can be used
	OnlySearch   string // the message asks for no search; {indices}
	Because      string // why it asks for none; {reason} is the model's
	Limit        string // the limit of the request was reached
	NotInWords   string // the search was made, and there is no text
	CutOff       string // the text is not complete
	BrokeOff     string // the model failed
	EngineFailed string // the search engine failed
	IndexGone    string // {index} is missing or closed, which only its operator can change
	StepFailed   string // no search was found for {step}
	StepDeclined string // the model says why {step} cannot be searched; {reason} is its own
	StepSeveral  string // one of several documents is needed for {step}, and nobody can be asked; {choices}
	StepNone     string // the user means none of the documents that were found for {step}
	StepNothing  string // nothing was found for {step}
	StepNeeds    string // {step} needs what was not found
	StepNotDone  string // {step} was not done
	FirstOnly    string // only {shown} of {total} documents of {step} were read
	FirstUsed    string // only {shown} of {total} documents of {step} were used to go on
	FirstRows    string // only {shown} rows of figures were read
	LongUsed     string // documents of {step} were too long to be used in full
	PartMissing  string // a part of the data could not be searched
	StoppedEarly string // the search was stopped before its end
	LimitRows    string // the limit of the request allows no more documents
	PageFailed   string // a page could not be read
	Rough        string // figures are not exact

	// The question which of several documents is meant.
	Which      string // {total} documents were found for {step}
	WhichFirst string // the same; only the first {shown} can be chosen
	NoneOfThem string // the choice of none of the first ones

	AtLeast string // {n} documents or more
	AndMore string // {names} and {n} more

	Thousands string // the sign between the thousands of a number

	// The line about the times that the question is about: {dates}.
	DatesUsed   string // the query reads exactly them
	DatesDiffer string // it reads {found} instead

	Unproved string // what the answer says without proof: {numbers}
}

var shippedTexts = map[string]Texts{
	usertext.English: {
		Found:        "Found: {total}",
		Others:       "and {n} more",
		NoAnswer:     "I could not answer this. {reason}",
		FoundBut:     "I found {total} matches, but the answer is not complete. {reason}",
		NoPlan:       "I found no way to search for this. Please ask in other words.",
		OnlySearch:   "I can only find, list and count documents in {indices}.",
		Because:      "This is something else: {reason}.",
		Limit:        "The limit for one request was reached before everything was searched. Please ask for less at once.",
		NotInWords:   "The search was made, but not put into words: see the documents, or ask again.",
		CutOff:       "The text is not complete: see the documents, or ask again.",
		BrokeOff:     "The search broke off. Please try again later.",
		EngineFailed: "The search broke off, because the search engine failed. Please try again later.",
		IndexGone:    "The index {index} is missing or closed. Please tell whoever runs the search engine.",
		StepFailed:   "I found no search for this part: {step}. Please ask for it in other words.",
		StepDeclined: "This part cannot be searched: {step} ({reason}).",
		StepSeveral:  "There are several matches, and one is needed: {step}. Please say which one you mean: {choices}.",
		StepNone:     "Nothing that was found is what you mean: {step}. Please name it more exactly.",
		StepNothing:  "Nothing was found: {step}.",
		StepNeeds:    "This was not searched, because what it needs was not found: {step}.",
		StepNotDone:  "This was not searched: {step}.",
		FirstOnly:    "Only the first {shown} of {total} matches were read: {step}. Please narrow the question for the others.",
		FirstUsed:    "Only the first {shown} of {total} matches were used to go on: {step}.",
		FirstRows:    "Only the first {shown} rows of figures were read. Please narrow the question for the others.",
		LongUsed:     "Some documents were too long to be used in full: {step}.",
		PartMissing:  "A part of the data could not be searched. Please try again later.",
		StoppedEarly: "The search was stopped before its end, so documents may be missing. Please narrow the question.",
		LimitRows:    "The limit for one request allows no more documents. Please narrow the question.",
		PageFailed:   "Not all documents could be read. Please try again later.",
		Rough:        "Some figures are estimates and may be too low.",
		Which:        "I found {total} matches for \"{step}\". Which one do you mean?",
		WhichFirst:   "I found {total} matches for \"{step}\"; these are the first {shown}. Which one do you mean?",
		NoneOfThem:   "none of them",
		AtLeast:      "at least {n}",
		AndMore:      "{names} and {n} more",
		Thousands:    ",",

		DatesUsed:   answertext.DatesUsed,
		DatesDiffer: answertext.DatesDiffer,

		Unproved: answertext.Unproved,
	},
	usertext.German: {
		Found:        "Gefunden: {total}",
		Others:       "und {n} weitere",
		NoAnswer:     "Das konnte ich nicht beantworten. {reason}",
		FoundBut:     "Ich habe {total} Treffer gefunden, aber die Antwort ist nicht vollständig. {reason}",
		NoPlan:       "Ich habe keinen Weg gefunden, danach zu suchen. Bitte fragen Sie mit anderen Worten.",
		OnlySearch:   "Ich kann nur Dokumente in {indices} finden, auflisten und zählen.",
		Because:      "Dies ist etwas anderes: {reason}.",
		Limit:        "Die Grenze für eine Anfrage war erreicht, bevor alles durchsucht wurde. Bitte fragen Sie nach weniger auf einmal.",
		NotInWords:   "Die Suche wurde ausgeführt, aber nicht in Worte gefasst: Sehen Sie in die Dokumente, oder fragen Sie noch einmal.",
		CutOff:       "Der Text ist nicht vollständig: Sehen Sie in die Dokumente, oder fragen Sie noch einmal.",
		BrokeOff:     "Die Suche ist abgebrochen. Bitte versuchen Sie es später noch einmal.",
		EngineFailed: "Die Suche ist abgebrochen, weil die Suchmaschine ausgefallen ist. Bitte versuchen Sie es später noch einmal.",
		IndexGone:    "Der Index {index} fehlt oder ist geschlossen. Bitte wenden Sie sich an die Betreiber der Suchmaschine.",
		StepFailed:   "Für diesen Teil habe ich keine Suche gefunden: {step}. Bitte fragen Sie mit anderen Worten danach.",
		StepDeclined: "Danach kann nicht gesucht werden: {step} ({reason}).",
		StepSeveral:  "Es gibt mehrere Treffer, und einer wird gebraucht: {step}. Bitte sagen Sie, welchen Sie meinen: {choices}.",
		StepNone:     "Kein Treffer ist der, den Sie meinen: {step}. Bitte benennen Sie ihn genauer.",
		StepNothing:  "Es wurde nichts gefunden: {step}.",
		StepNeeds:    "Danach wurde nicht gesucht, weil das dafür Nötige nicht gefunden wurde: {step}.",
		StepNotDone:  "Danach wurde nicht gesucht: {step}.",
		FirstOnly:    "Nur die ersten {shown} von {total} Treffern wurden gelesen: {step}. Bitte fragen Sie enger, um die übrigen zu sehen.",
		FirstUsed:    "Nur die ersten {shown} von {total} Treffern wurden weiter verwendet: {step}.",
		FirstRows:    "Nur die ersten {shown} Zeilen der Zahlen wurden gelesen. Bitte fragen Sie enger, um die übrigen zu sehen.",
		LongUsed:     "Einige Dokumente waren zu lang, um ganz verwendet zu werden: {step}.",
		PartMissing:  "Ein Teil der Daten konnte nicht durchsucht werden. Bitte versuchen Sie es später noch einmal.",
		StoppedEarly: "Die Suche wurde vor ihrem Ende angehalten. Dokumente können fehlen. Bitte fragen Sie enger.",
		LimitRows:    "Die Grenze für eine Anfrage erlaubt keine weiteren Dokumente. Bitte fragen Sie enger.",
		PageFailed:   "Nicht alle Dokumente konnten gelesen werden. Bitte versuchen Sie es später noch einmal.",
		Rough:        "Einige Zahlen sind Schätzungen und können zu niedrig sein.",
		Which:        "Ich habe {total} Treffer für „{step}“ gefunden. Welchen meinen Sie?",
		WhichFirst:   "Ich habe {total} Treffer für „{step}“ gefunden; dies sind die ersten {shown}. Welchen meinen Sie?",
		NoneOfThem:   "keinen davon",
		AtLeast:      "mindestens {n}",
		AndMore:      "{names} und {n} weiteren",
		Thousands:    ".",

		DatesUsed:   answertext.DatesUsedGerman,
		DatesDiffer: answertext.DatesDifferGerman,

		Unproved: answertext.UnprovedGerman,
	},
}

// texts returns the texts in the language of the turn.
func (rd *reader) texts(ctx context.Context) *Texts { return rd.text.In(qed.Info(ctx).Language) }

// step fills in a text about a task.
func (t *task) step(text string, more ...string) string {
	return usertext.Fill(text, append([]string{"step", strings.TrimRight(t.Description, ". ")}, more...)...)
}

// number returns a number of documents or rows for the user.
func (t *Texts) number(n int64) string { return usertext.Number(n, t.Thousands) }

// totalText returns the number of matching documents for the user.
func (t *task) totalText(texts *Texts) string {
	n := texts.number(t.Total)
	if !t.Exact {
		return usertext.Fill(texts.AtLeast, "n", n)
	}
	return n
}

// unfinished returns for the user what a task did not find or do, and why.
func (s *state) unfinished(t *task, texts *Texts) []string {
	var lines []string
	switch {
	case t.Phase == failed && t.Told != "":
		lines = append(lines, t.Told)
	case t.Phase == failed:
		lines = append(lines, t.step(texts.StepFailed))
	case t.foundNothing() && s.needed(t.Key):
		lines = append(lines, t.step(texts.StepNothing))
	case t.foundNothing(): // that is the answer
	case t.Phase == waiting && s.hopeless(t):
		lines = append(lines, t.step(texts.StepNeeds))
	case t.Phase != done:
		lines = append(lines, t.step(texts.StepNotDone))
	}
	if t.Rest && !s.needed(t.Key) {
		lines = append(lines, t.step(texts.FirstOnly, "shown", texts.number(int64(t.Query.Rows)), "total", t.totalText(texts)))
	}
	lines = append(lines, t.Notes...)
	if t.Rough != "" {
		lines = append(lines, texts.Rough)
	}
	return lines
}

// reason returns why the answer is partial, or "".
func (s *state) reason(texts *Texts) string {
	var lines []string
	if s.Reason != "" {
		lines = append(lines, s.Reason)
	}
	for i := range s.Tasks {
		lines = append(lines, s.unfinished(&s.Tasks[i], texts)...)
	}
	return strings.Join(lines, " ")
}
