package analysthttp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/qedkit/qed/analyst/analysthttp"
)

func Example() {
	h, err := analysthttp.New(model, nil) // model is an llm.Model
	if err != nil {
		panic(err)
	}
	defer h.Close()
	server := httptest.NewServer(h)
	defer server.Close()
	response, err := http.Post(server.URL+"/api/datasets", "text/csv", strings.NewReader("region,amount\nnorth,59\nsouth,50\n"))
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	_, rest, _ := strings.Cut(string(body), `,"schema"`)
	fmt.Print(response.StatusCode, ` {"session":"..","schema"`, rest)
	// Output:
	// 201 {"session":"..","schema":[{"name":"region","type":"TEXT"},{"name":"amount","type":"INTEGER"}],"columnCount":2,"rowCount":2,"sampleData":[["north",59],["south",50]]}
}
