package estest_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/qedkit/qed/esquery/estest"
)

func Example() {
	recording := strings.NewReader(`{"method":"GET","path":"/_cluster/health","status":200,"response":{"status":"green"}}`)
	transport, err := estest.Replay(recording)
	if err != nil {
		log.Fatal(err)
	}
	client := http.Client{Transport: transport}
	resp, err := client.Get("http://localhost:9200/_cluster/health")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(body))
	// Output: {"status":"green"}
}

func ExampleCompare() {
	kept := `{"method":"GET","path":"/i/_count","status":200,"response":{"count":5}}`
	now := `{"method":"GET","path":"/i/_count","status":200,"response":{"count":6}}`
	fmt.Println(estest.Compare(strings.NewReader(kept), strings.NewReader(now)))
	// Output:
	// estest: the engine's responses have changed:
	// GET /i/_count has another response:
	//   /count: recorded 5, now 6
}
