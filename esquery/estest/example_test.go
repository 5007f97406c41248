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
