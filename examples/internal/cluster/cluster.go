// Package cluster opens what the examples search: the Elasticsearch or OpenSearch
// that is configured, filled with the example's documents, or a recording of one.
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
	"github.com/qedkit/qed/examples/internal/settings"
)

// Open returns a client of the cluster that the settings name, which fill fills first,
// and where that is. Where they name none it is a client of the recording, which is
// nowhere. No error shows a password.
func Open(ctx context.Context, conf settings.Search, recording []byte, fill func(context.Context, esapi.Transport) error) (c *esclient.Client, where string, err error) {
	if conf.URL == "" {
		replay, err := estest.Replay(bytes.NewReader(recording))
		if err != nil {
			return nil, "", err
		}
		c, err = esclient.New(&esclient.Options{Transport: replay})
		return c, "", err
	}
	at, err := url.Parse(conf.URL)
	if err != nil || at.Host == "" {
		return nil, "", errors.New("ELASTICSEARCH_URL is no URL such as http://localhost:9200") // it may hold a password
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
	c, err = esclient.New(&esclient.Options{URLs: []string{conf.URL}, Username: conf.Username, Password: conf.Password, APIKey: conf.APIKey})
	return c, at.Redacted(), err
}

// patience is how long filling a cluster may take: a second or two, where all is well.
const patience = time.Minute

var errSilent = fmt.Errorf("no answer within %s", patience)

// explain says which setting names a cluster that could not be filled, or where its
// refusal is to be mended.
func explain(at *url.URL, err error) error {
	var refused *refusal
	if errors.As(err, &refused) && (refused.status == http.StatusUnauthorized || refused.status == http.StatusForbidden) {
		return fmt.Errorf("%s: %w\nSet ELASTICSEARCH_API_KEY, or ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD, to those of an account that may make indices",
			at.Redacted(), err)
	}
	return fmt.Errorf("ELASTICSEARCH_URL %s: %w", at.Redacted(), err)
}
