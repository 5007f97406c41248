package fieldservice

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// Question is a question about the company with the recorded replies of a model. It is
// used to replay a conversation and to score a model. The statements read the logical
// tables (employee, workOrder), as a model writes them before the guard rewrites them.
type Question struct {
	ID       string // short and stable
	Shows    string // what the question tests
	Question string
	Follows  string // the ID of the question before it in the conversation; empty: a new conversation

	Tables     []string // the tables that the answer needs
	Statements []string // the attempts: each statement but the last is refused or finds no rows
	Periods    []Period // the times of the question, as the statements read them
	Answer     string   // the answer in plain language
	Reply      string   // the answer with references to its figures: see package figures; empty: Answer

	Choice string // the user's reply to the question which join is meant; empty: that is not asked
	Ways   []Way  // the replies for the joins that the user can choose
}

// A Period is the days that words of a question mean, as the model gives them next to a
// statement. An empty day is no limit; Before is the day after the last one.
type Period struct {
	Words  string `json:"words"`
	From   string `json:"from,omitempty"`
	Before string `json:"before,omitempty"`
}

// A Way is one of several joins that a question can mean, with the model's replies for it.
type Way struct {
	Column    string // of the join
	Statement string
	Reply     string // the answer, with references to its figures
}

// questionsFile has the questions. A statement is a list of lines. {order} and {month} are
// the differences between the dialects.
//
//go:embed questions.json
var questionsFile string

// Questions returns the questions in the order of the conversation. Their statements are
// in the SQL of a dialect: "sqlite", "mysql" or "postgres". Each call returns a new slice.
func Questions(dialect string) []Question {
	order, month := `"order"`, "substr(p.paidOn, 1, 7)"
	switch dialect {
	case "mysql":
		order = "`order`"
	case "postgres":
		month = "to_char(p.paidOn, 'YYYY-MM')"
	}
	sql := func(lines []string) string {
		return strings.NewReplacer("{order}", order, "{month}", month).Replace(strings.Join(lines, "\n"))
	}
	var read []struct {
		Question
		Statements [][]string
		Ways       []struct {
			Way
			Statement []string
		}
	}
	if err := json.Unmarshal([]byte(questionsFile), &read); err != nil {
		panic(fmt.Sprintf("fieldservice: questions.json: %v", err)) // not reached: the file is embedded
	}
	questions := make([]Question, len(read))
	for i, r := range read {
		q := r.Question
		for _, lines := range r.Statements {
			q.Statements = append(q.Statements, sql(lines))
		}
		for _, w := range r.Ways {
			w.Way.Statement = sql(w.Statement)
			q.Ways = append(q.Ways, w.Way)
		}
		questions[i] = q
	}
	return questions
}
