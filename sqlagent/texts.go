package sqlagent

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/usertext"
)

// Texts are the texts that the agent writes for users, other than those of the
// model. Empty fields mean the defaults. A name in braces is replaced by its
// value. All but NoAnswer, WhichJoin, JoinChoice, TooCostly, Run, DoNotRun, ReadAs, the
// three about joins that are no relationships, JoinedMany, and those about dates say why
// an answer is partial.
type Texts struct {
	NoAnswer     string // the answer if nothing was read; {reason} is one of the others
	NoTables     string // no table fits the question
	NoQuery      string // no query was found that may run
	Declined     string // the model says that the data does not answer the question; {reason} is its own
	LimitNoRows  string // the limit of the request was reached before anything was read
	LimitNothing string // it was reached after one query that found nothing
	NotInWords   string // the rows were read, and there is no text
	CutOff       string // the text is not complete
	GuessedJoin  string // the query joins tables that are not connected; {tables}
	LeftOut      string // tables that are not connected with the others were not read; {tables}
	WhichJoin    string // the question which join is meant
	JoinChoice   string // one choice of WhichJoin; {role} is in words of the schema

	// The query joins the tables {left} and {right}, and not by a relationship.
	JoinedUnknown   string // by {columns}
	JoinedOtherwise string // by another condition than that columns are equal
	JoinedAll       string // by no condition

	JoinedMany string // many rows of {left} and {right} belong to one of {table}, and the query joins all three

	// The database expects to read {rows} rows of {tables} for the query.
	TooCostly     string // the question whether it shall run
	Run, DoNotRun string // its choices
	NotRun        string // the query was not run; {rows}

	OtherJoin string // the user chose {chosen}, and the query has {joins}

	ReadAs string // words of the question were read as values of the data; {said}, {values}

	// The line about the times that the question is about: {dates}.
	DatesUsed      string // the query reads them
	DatesDiffer    string // it reads others: {found}
	DatesUnchecked string // whether it reads them was not checked

	NoTime string // the question names a time, and the query looks at none

	Unproved string // what the answer says without proof: {numbers}
}

var shippedTexts = map[string]Texts{
	usertext.English: {
		NoAnswer:     "I could not answer this. {reason}",
		NoTables:     "I found no data that the question is about. Please name what you want to know in other words.",
		NoQuery:      "I found no way to read the answer from the data. Please ask in other words, or for less at once.",
		Declined:     "The data does not answer this: {reason}",
		LimitNoRows:  "The limit for one request was reached before any data was read. Please ask for less at once.",
		LimitNothing: "Nothing was found, and the limit for one request was reached before another search. Please check the names in your question, and ask again.",
		NotInWords:   "The data was read, but not put into words: see the table, or ask again.",
		CutOff:       "The text is not complete: see the table, or ask again.",
		GuessedJoin:  "It is not known how these data belong together, so their combination may be wrong: {tables}. Please check it, or ask about each alone.",
		LeftOut:      "These data could not be combined with the rest and are not in the answer: {tables}. Please ask about them alone.",
		WhichJoin:    "The data can be connected in several ways. Which one do you mean?",
		JoinChoice:   "by the {role}",

		JoinedUnknown:   "The query joins {left} and {right} by {columns}, which is no known relationship.",
		JoinedOtherwise: "The query joins {left} and {right} by a condition that is no known relationship.",
		JoinedAll:       "The query combines each row of {left} with each row of {right}.",
		JoinedMany:      "The query has each row of {left} with each row of {right} that has the same {table}.",

		TooCostly: "To answer this, the database expects to read about {rows} rows ({tables}), which can take long. " +
			"Shall it do that? A period, a name or another condition in the question would narrow it.",
		Run:      "Yes",
		DoNotRun: "No",
		NotRun: "The query was not run, because the database expects to read about {rows} rows for it. " +
			"Please ask about a shorter period or a part of the data.",

		OtherJoin: "You chose “{chosen}”, but the query joins by {joins}. Please check the result, or ask again.",

		ReadAs: "{said} was read as {values}.",

		DatesUsed:      answertext.DatesUsed,
		DatesDiffer:    answertext.DatesDiffer,
		DatesUnchecked: answertext.DatesUnchecked,
		NoTime:         answertext.NoTime,

		Unproved: answertext.Unproved,
	},
	usertext.German: {
		NoAnswer:     "Das konnte ich nicht beantworten. {reason}",
		NoTables:     "Ich habe keine Daten gefunden, um die es in der Frage geht. Bitte sagen Sie mit anderen Worten, was Sie wissen möchten.",
		NoQuery:      "Ich habe keinen Weg gefunden, die Antwort aus den Daten zu lesen. Bitte fragen Sie mit anderen Worten oder nach weniger auf einmal.",
		Declined:     "Die Daten beantworten das nicht: {reason}",
		LimitNoRows:  "Die Grenze für eine Anfrage war erreicht, bevor Daten gelesen wurden. Bitte fragen Sie nach weniger auf einmal.",
		LimitNothing: "Es wurde nichts gefunden, und die Grenze für eine Anfrage war vor einer weiteren Suche erreicht. Bitte prüfen Sie die Namen in der Frage und fragen Sie noch einmal.",
		NotInWords:   "Die Daten wurden gelesen, aber nicht in Worte gefasst: Sehen Sie in die Tabelle, oder fragen Sie noch einmal.",
		CutOff:       "Der Text ist nicht vollständig: Sehen Sie in die Tabelle, oder fragen Sie noch einmal.",
		GuessedJoin:  "Es ist nicht bekannt, wie diese Daten zusammengehören. Ihre Verbindung kann falsch sein: {tables}. Bitte prüfen Sie sie, oder fragen Sie nach jedem einzeln.",
		LeftOut:      "Diese Daten konnten nicht mit den übrigen verbunden werden und fehlen in der Antwort: {tables}. Bitte fragen Sie einzeln danach.",
		WhichJoin:    "Die Daten können auf mehrere Arten verbunden werden. Welche meinen Sie?",
		JoinChoice:   "über „{role}“",

		JoinedUnknown:   "Die Abfrage verbindet {left} und {right} über {columns}. Das ist keine bekannte Beziehung.",
		JoinedOtherwise: "Die Abfrage verbindet {left} und {right} über eine Bedingung, die keine bekannte Beziehung ist.",
		JoinedAll:       "Die Abfrage verbindet jede Zeile von {left} mit jeder Zeile von {right}.",
		JoinedMany:      "Die Abfrage hat jede Zeile von {left} mit jeder Zeile von {right}, die zu derselben Zeile von {table} gehört.",

		TooCostly: "Dafür liest die Datenbank voraussichtlich etwa {rows} Zeilen ({tables}). Das kann lange dauern. " +
			"Soll sie es tun? Ein Zeitraum, ein Name oder eine andere Bedingung in der Frage würde es eingrenzen.",
		Run:      "Ja",
		DoNotRun: "Nein",
		NotRun: "Die Abfrage wurde nicht ausgeführt, weil die Datenbank dafür voraussichtlich etwa {rows} Zeilen liest. " +
			"Bitte fragen Sie nach einem kürzeren Zeitraum oder einem Teil der Daten.",

		OtherJoin: "Sie haben „{chosen}“ gewählt, aber die Abfrage verbindet über {joins}. Bitte prüfen Sie das Ergebnis, oder fragen Sie noch einmal.",

		ReadAs: "{said} wurde als {values} gelesen.",

		DatesUsed:      answertext.DatesUsedGerman,
		DatesDiffer:    answertext.DatesDifferGerman,
		DatesUnchecked: answertext.DatesUncheckedGerman,
		NoTime:         answertext.NoTimeGerman,

		Unproved: answertext.UnprovedGerman,
	},
}

// texts returns the texts in the language of the turn.
func (a *agent) texts(ctx context.Context) *Texts { return a.text.In(qed.Info(ctx).Language) }
