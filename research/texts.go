package research

import "github.com/qedkit/qed/internal/usertext"

// texts are the texts that the agent writes for users, other than those of the
// model. A name in braces is replaced by its value.
type texts struct {
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

	// The section about the method.
	Method      string // its heading
	Collections string // the {names} of the collections
	Rounds      string // a {task} and the number {n} of its rounds of search
	OneRound    string // a {task} with one round
	SearchedFor string // {queries} of a task
	Read        string // {documents} of a task
	ReadNothing string // by a task
	LeftOpen    string // {gaps} of a task
	Unresolved  string // {references} that lead to no document
	Ambiguous   string // {reference} that can be one of {documents}
	Cited       string // {documents}
	ReadOnly    string // {documents} that are not cited
	Compared    string // {n} statements, of which {uncited} and {wrong}
	Dropped     string // {n} citations
	More        string // {n} names of a list that are left out
	Quoted      string // {text}
}

var textTable = usertext.Of[texts]("research")
