package config

// removedKeys says why keys, or sections that became a value, are gone, by path; see [strictyaml.Decoder].
func removedKeys() map[string]string {
	const http = "name an entry of http_configs, and move the keys there"
	return map[string]string{
		"serve.upstream": "confab serve is no reverse proxy any more: let a gateway ask POST /v1/check/chat, see docs/gateways.md",

		"schema_registry.http_config": http,
		"*.*.http_config":             http,
	}
}
