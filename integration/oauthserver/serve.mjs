// A token server for the tests of OAUTHBEARER: oidc-provider on a free port of 127.0.0.1. It issues access tokens as signed
// JWTs by client credentials. Usage: node serve.mjs LIFETIME_SECONDS CLIENT_ID CLIENT_SECRET ...
// Prints its issuer once it listens, then "issued CLIENT_ID" for each token. It ends with its standard input.
import { createServer } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(`${process.env.OAUTH_SERVER_HOME}/`);
const { default: Provider } = await import(pathToFileURL(require.resolve('oidc-provider')).href);

const [lifetime, ...credentials] = process.argv.slice(2);
const clients = [];
for (let i = 0; i < credentials.length; i += 2) {
  clients.push({
    client_id: credentials[i], client_secret: credentials[i + 1], grant_types: ['client_credentials'],
    redirect_uris: [], response_types: [],
  });
}
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients,
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' }] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:kafka',
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'kafka', audience: 'kafka', accessTokenTTL: Number(lifetime), accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  provider.on('grant.success', (ctx) => console.log(`issued ${ctx.oidc.client.clientId}`));
  server.on('request', provider.callback());
  console.log(issuer);
});
process.stdin.on('end', () => process.exit(0)).resume();
