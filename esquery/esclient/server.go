package esclient

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// A Server says which engine a server runs.
type Server struct {
	Distribution string // [Elasticsearch] or [OpenSearch]
	Version      string // such as "8.19.7"; empty if the server does not report it
}

// The distributions.
const (
	Elasticsearch = "elasticsearch"
	OpenSearch    = "opensearch"
)

// Server returns which engine the server runs. The server is asked once. The
// Client asks by itself before the first request that differs between the two.
func (c *Client) Server(ctx context.Context) (Server, error) {
	if known := c.server.Load(); known != nil {
		return *known, nil
	}
	var server Server
	err := c.do(ctx, &call{
		request: func(time.Duration) esapi.Request { return esapi.InfoRequest{} },
		accepts: func(r *response) (ok bool) { server, ok = readServer(r); return ok },
	})
	if err != nil {
		return Server{}, err
	}
	c.server.Store(&server)
	return server, nil
}

// readServer reads the root of the API. A user with search rights only may not read
// it, and a minimal build of Elasticsearch does not have it: the headers are used then.
func readServer(r *response) (Server, bool) {
	var info struct {
		Version struct {
			Number       string `json:"number"`
			Distribution string `json:"distribution"`
		} `json:"version"`
		Tagline string `json:"tagline"`
	}
	readable := json.Unmarshal(r.body, &info) == nil && info.Version.Number != ""
	server := Server{Distribution: Elasticsearch, Version: info.Version.Number}
	switch {
	case info.Version.Distribution == OpenSearch, strings.Contains(info.Tagline, "OpenSearch"):
		server.Distribution = OpenSearch
		return server, readable
	case r.header.Get("X-Elastic-Product") == "Elasticsearch":
		return server, r.status < 500 && r.status != http.StatusUnauthorized && r.status != http.StatusTooManyRequests
	case r.status == http.StatusForbidden:
		// Elasticsearch would have sent its header here as well.
		cause, ok := readCause(r.body)
		return Server{Distribution: OpenSearch}, ok && cause.Type == "security_exception"
	}
	return server, readable && strings.Contains(info.Tagline, "for Search") // older versions have no header
}
