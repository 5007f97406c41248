package esclient

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Server is what runs there.
type Server struct {
	Distribution string // [Elasticsearch] or [OpenSearch]
	Version      string // such as "8.19.7"; empty where the server does not tell
}

// The distributions.
const (
	Elasticsearch = "elasticsearch"
	OpenSearch    = "opensearch"
)

// Server says what runs there. The server is asked once; a Client asks by itself,
// before the first search in which the two differ.
func (c *Client) Server(ctx context.Context) (Server, error) {
	if known := c.server.Load(); known != nil {
		return *known, nil
	}
	var server Server
	err := c.do(ctx, &call{
		request: func(time.Duration) esapi.Request { return esapi.InfoRequest{} },
		takes:   func(r *reply) (ok bool) { server, ok = readServer(r); return ok },
	})
	if err != nil {
		return Server{}, err
	}
	c.server.Store(&server)
	return server, nil
}

// readServer reads what is said at the root of the API. Who may only search may not
// read it, and a bare Elasticsearch does not have it: then the headers tell.
func readServer(r *reply) (Server, bool) {
	var info struct {
		Version struct {
			Number       string `json:"number"`
			Distribution string `json:"distribution"`
		} `json:"version"`
		Tagline string `json:"tagline"`
	}
	told := json.Unmarshal(r.body, &info) == nil && info.Version.Number != ""
	server := Server{Distribution: Elasticsearch, Version: info.Version.Number}
	switch {
	case info.Version.Distribution == OpenSearch, strings.Contains(info.Tagline, "OpenSearch"):
		server.Distribution = OpenSearch
		return server, told
	case r.header.Get("X-Elastic-Product") == "Elasticsearch":
		return server, r.status < 500 && r.status != http.StatusUnauthorized && r.status != http.StatusTooManyRequests
	case r.status == http.StatusForbidden:
		// Elasticsearch names itself in the header also here.
		cause, ok := readCause(r.body)
		return Server{Distribution: OpenSearch}, ok && cause.Type == "security_exception"
	}
	return server, told && strings.Contains(info.Tagline, "for Search") // before the header
}
