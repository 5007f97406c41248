package research

import (
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/usertext"
)

// Texts are the texts that the agent writes for users, other than those of the
// model. Empty fields mean the defaults. A name in braces is replaced by its value.
type Texts struct {
	Questions string // before the questions of a round of the clarification
	EndHint   string // after them: how to end the clarification
	Plan      string // before the tasks that the user approves
	Approve   string // after them
	Unusable  string // the edited tasks cannot be used; {problem}

	// Answers without a report.
	Rejected string // the user rejected the tasks
	Because  string // {text} with the {reason} of the user
	NoPlan   string // the model made no plan
	NoAnswer string // {reason} is one of the next
	Nothing  string // nothing was found
	Failed   string // the documents could not be searched
	Limit    string // the limit of the request was reached

	// The end of a report, and why an answer is partial.
	Missing    string // the heading of what failed
	OnlyNotes  string // the model wrote no report, so that the findings follow
	Shortened  string // the limit of the request was reached before the research was done
	Incomplete string // some tasks are not complete
	CutOff     string // the report is not complete
	NotCited   string // the report cites no finding
	Unproved   string // the report has numbers that the findings it cites do not have: {numbers}
	Below      string // the quality of the report is below the limit; {quality}

	// What failed.
	SearchFailed   string // a search for {query}
	WebFailed      string // a web search for {query}
	NotRead        string // a passage of {document}
	TaskFailed     string // {task}
	TaskLimit      string // the tokens of {task} are used up
	PartMissing    string // no passage of {document} has the number of the part that {reference} names
	MissingInIndex string // {document}, which {reference} refers to, is in the registry, and no passage of it was found
}

var shippedTexts = map[string]Texts{
	usertext.English: {
		Questions:      "Before the research begins:",
		EndHint:        "Reply /end to begin with what is known.",
		Plan:           "The research has these tasks:",
		Approve:        "May they run?",
		Unusable:       "The changed list cannot be used: {problem}",
		Rejected:       "The research was not done, because its tasks were not approved.",
		Because:        "{text} Your reason: {reason}",
		NoPlan:         "No tasks could be made of this question. Please ask in other words.",
		NoAnswer:       "I could not answer this from the documents. {reason}",
		Nothing:        "They say nothing about it. Please ask in other words.",
		Failed:         "They could not be searched. Please try again later.",
		Limit:          "The limit for one request was reached before anything was found. Please ask for less at once.",
		Missing:        "What is missing",
		OnlyNotes:      "No report was written. These are the findings.",
		Shortened:      "The limit for one request was reached before the research was done.",
		Incomplete:     "Some of the research is missing.",
		CutOff:         "The report is not complete. Please ask for less at once.",
		NotCited:       "The report names no source. Please check it.",
		Unproved:       answertext.UnprovedByDocuments,
		Below:          "The report was rated {quality} of 500, which is below the limit. Please check it.",
		SearchFailed:   "The search for “{query}” failed.",
		WebFailed:      "The web search for “{query}” failed.",
		NotRead:        "A passage of {document} could not be read.",
		TaskFailed:     "The task “{task}” failed.",
		TaskLimit:      "The task “{task}” ended at its limit of tokens.",
		PartMissing:    "{reference} refers to a part of {document}, of which no passage was found.",
		MissingInIndex: "{reference} refers to {document}, in which no passage was found.",
	},
	usertext.German: {
		Questions:      "Bevor die Recherche beginnt:",
		EndHint:        "Antworten Sie /end, um mit dem zu beginnen, was bekannt ist.",
		Plan:           "Die Recherche hat diese Aufgaben:",
		Approve:        "Dürfen sie ausgeführt werden?",
		Unusable:       "Die geänderte Liste kann nicht verwendet werden: {problem}",
		Rejected:       "Die Recherche wurde nicht ausgeführt, weil ihre Aufgaben nicht genehmigt wurden.",
		Because:        "{text} Ihre Begründung: {reason}",
		NoPlan:         "Aus dieser Frage konnten keine Aufgaben gebildet werden. Bitte fragen Sie mit anderen Worten.",
		NoAnswer:       "Das konnte ich aus den Dokumenten nicht beantworten. {reason}",
		Nothing:        "Sie sagen dazu nichts. Bitte fragen Sie mit anderen Worten.",
		Failed:         "Sie konnten nicht durchsucht werden. Bitte versuchen Sie es später noch einmal.",
		Limit:          "Die Grenze für eine Anfrage war erreicht, bevor etwas gefunden wurde. Bitte fragen Sie nach weniger auf einmal.",
		Missing:        "Was fehlt",
		OnlyNotes:      "Es wurde kein Bericht geschrieben. Dies sind die Fundstellen.",
		Shortened:      "Die Grenze für eine Anfrage war erreicht, bevor die Recherche fertig war.",
		Incomplete:     "Ein Teil der Recherche fehlt.",
		CutOff:         "Der Bericht ist nicht vollständig. Bitte fragen Sie nach weniger auf einmal.",
		NotCited:       "Der Bericht nennt keine Quelle. Bitte prüfen Sie ihn.",
		Unproved:       answertext.UnprovedByDocumentsGerman,
		Below:          "Der Bericht wurde mit {quality} von 500 bewertet, das ist unter der Grenze. Bitte prüfen Sie ihn.",
		SearchFailed:   "Die Suche nach „{query}“ ist fehlgeschlagen.",
		WebFailed:      "Die Suche im Web nach „{query}“ ist fehlgeschlagen.",
		NotRead:        "Eine Stelle aus {document} konnte nicht gelesen werden.",
		TaskFailed:     "Die Aufgabe „{task}“ ist fehlgeschlagen.",
		TaskLimit:      "Die Aufgabe „{task}“ endete an ihrer Grenze für Tokens.",
		PartMissing:    "{reference} verweist auf einen Teil von {document}, von dem keine Stelle gefunden wurde.",
		MissingInIndex: "{reference} verweist auf {document}, in dem keine Stelle gefunden wurde.",
	},
}
