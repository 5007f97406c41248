package question_test

import (
	"encoding/json"
	"fmt"

	"github.com/qedkit/qed/question"
)

// A server shows a question that it got as JSON, and checks the reply before it
// resumes the run with it.
func Example() {
	var q question.Question
	err := json.Unmarshal([]byte(`{"id": "q1", "kind": "choice", "text": "Which Miami?", "choices": [
		{"id": "USMIA", "text": "Port of Miami"}, {"id": "MCT", "text": "Miami Container Terminal"}]}`), &q)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q)

	for _, value := range []string{`3`, `"port of miami"`} {
		reply := question.Reply{Question: q.ID, Value: json.RawMessage(value)}
		if err := q.Check(reply.Value); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println("replied:", reply.Text())
	}
	// Output:
	// Which Miami?
	// 1. Port of Miami
	// 2. Miami Container Terminal
	// the reply is none of the choices: reply with a number from 1 to 2, or with the text of a choice
	// replied: port of miami
}

// A runtime of its own asks with a Go type, and reads the reply as that type.
func ExampleFor() {
	type visit struct {
		City string `json:"city"`
		Days int    `json:"days"`
	}
	q, read, err := question.For[visit](question.Question{Text: "Where to, and for how long?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.Kind, q.Text)
	v, err := read(json.RawMessage(`{"city": "Rome", "days": 3}`))
	fmt.Println(v.City, v.Days, err)
	// Output:
	// form Where to, and for how long?
	// Rome 3 <nil>
}
