import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;

/** Validates interactions and maps five fields: Peer SEEDS SCHEMA INPUT OUTPUT. Ends when its standard input ends. */
public final class Peer {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] args) throws IOException {
    Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(Files.readString(Path.of(args[1])));
    schema.initializeValidators();
    StreamsBuilder builder = new StreamsBuilder();
    builder.stream(args[2], Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
        .mapValues(value -> map(schema, value))
        .to(args[3], Produced.with(Serdes.ByteArray(), Serdes.ByteArray()));
    Properties p = new Properties();
    p.put(StreamsConfig.APPLICATION_ID_CONFIG, "peer-streams");
    p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
    p.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    p.put(StreamsConfig.producerPrefix("linger.ms"), "10");
    p.put(StreamsConfig.producerPrefix("compression.type"), "lz4");
    KafkaStreams streams = new KafkaStreams(builder.build(), p);
    streams.start();
    while (System.in.read() >= 0) {}
    streams.close();
  }

  private static byte[] map(Schema schema, byte[] value) {
    try {
      JsonNode in = JSON.readTree(value);
      ObjectNode out = JSON.createObjectNode();
      out.put("valid", schema.validate(in).isEmpty());
      for (String field : new String[] {"interaction_id", "tenant", "model", "operation", "occurred_at"}) {
        out.set(field, in.get(field));
      }
      return JSON.writeValueAsBytes(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
