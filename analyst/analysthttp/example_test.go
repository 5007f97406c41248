package analysthttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/qedkit/qed/analyst/analysthttp"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/serve"
)

// A user uploads a file and explores it.
func Example() {
	means := json.RawMessage(`{"query": "SELECT region, avg(amount) AS mean FROM t_parsed GROUP BY region ORDER BY region", "reason": "compare"}`)
	model := llmtest.New( // in a program, one of llm/openai or llm/anthropic
		llmtest.Rule{Name: "step", Contains: []string{`"success":true`}, Replies: []llmtest.Reply{
			{Text: "The north has larger orders.\n- Its mean is {t1.r1.mean}."}}},
		llmtest.Rule{Name: "step", Replies: []llmtest.Reply{{ToolCalls: []llm.ToolCall{{ID: "1", Name: "executeSQLQuery", Arguments: means}}}}},
	)
	handler, err := analysthttp.New(model, &analysthttp.Options{
		Serve: serve.Options{Caller: func(r *http.Request) (context.Context, serve.Caller, error) {
			user := r.Header.Get("User") // look up the session instead
			if user == "" {
				return nil, serve.Caller{}, errors.New("no user")
			}
			return r.Context(), serve.Caller{User: user}, nil
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer handler.Close()
	server := httptest.NewServer(handler)
	defer server.Close()

	post := func(path, contentType string, body []byte, response any) {
		request, err := http.NewRequest(http.MethodPost, server.URL+path, bytes.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set("Content-Type", contentType)
		request.Header.Set("User", "ann")
		got, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		defer got.Body.Close()
		if err := json.NewDecoder(got.Body).Decode(response); err != nil {
			log.Fatal(err)
		}
	}
	var file struct {
		Session string
		Schema  []struct{ Name, Type string }
	}
	post("/api/datasets", "text/csv", []byte("region,amount\nnorth,59\nnorth,61\nsouth,50\n"), &file)
	fmt.Println(file.Schema)

	question, err := json.Marshal(map[string]string{"session": file.Session, "question": "Which region orders more?"})
	if err != nil {
		log.Fatal(err)
	}
	var found struct {
		Status, Summary string
		Insights        []string
	}
	post("/api/agentic-explore", "application/json", question, &found)
	fmt.Println(found.Status, found.Summary, found.Insights)
	// Output:
	// [{region TEXT} {amount INTEGER}]
	// exploration_complete The north has larger orders. [Its mean is 60.]
}
