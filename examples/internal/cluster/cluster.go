// Package cluster opens the search engine of the examples: the Elasticsearch or
// OpenSearch cluster that is configured, or a recording of Elasticsearch.
package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/esquery/estest"
	"github.com/qedkit/qed/internal/command/settings"
)

// Open returns a client of the configured cluster, on which fill has made the
// example's indices, or of the recording if no cluster is configured. The note says
// which one it is. No error contains a password.
func Open(
	ctx context.Context, conf settings.Search, recording []byte, fill func(context.Context, esapi.Transport) error,
) (c *esclient.Client, note string, err error) {
	if conf.URL == "" {
		replay, err := estest.Replay(bytes.NewReader(recording))
		if err != nil {
			return nil, "", err
		}
		c, err = esclient.New(&esclient.Options{Transport: replay})
		return c, "No cluster is configured (ELASTICSEARCH_URL): a recording of Elasticsearch answers.", err
	}
	at, err := url.Parse(conf.URL)
	if err != nil || at.Host == "" {
		return nil, "", errors.New("ELASTICSEARCH_URL is not a URL such as http://localhost:9200") // not quoted: it may contain a password
	}
	filling, err := elastictransport.NewClient(
		elastictransport.WithURLs(at),
		elastictransport.WithAPIKey(conf.APIKey),
		elastictransport.WithBasicAuth(conf.Username, conf.Password),
		elastictransport.WithDisableRetry(),
	)
	if err != nil {
		return nil, "", err
	}
	soon, cancel := context.WithTimeoutCause(ctx, patience, errSilent)
	defer cancel()
	if err := fill(soon, filling); err != nil {
		return nil, "", explain(at, err)
	}
	c, err = esclient.New(&esclient.Options{
		URLs:     []string{conf.URL},
		Username: conf.Username,
		Password: conf.Password,
		APIKey:   conf.APIKey,
	})
	return c, "Searching " + at.Redacted() + ".", err
}

// patience limits the time for filling a cluster, which usually takes a second or two.
const patience = time.Minute

var errSilent = fmt.Errorf("no answer within %s", patience)

// explain adds the setting to change to the error of a cluster that could not be
// filled.
func explain(at *url.URL, err error) error {
	if refused, ok := errors.AsType[*refusal](err); ok && (refused.status == http.StatusUnauthorized || refused.status == http.StatusForbidden) {
		return fmt.Errorf("%s: %w\nSet ELASTICSEARCH_API_KEY, or ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD, "+
			"to those of an account that may create indices",
			at.Redacted(), err)
	}
	return fmt.Errorf("ELASTICSEARCH_URL %s: %w", at.Redacted(), err)
}
