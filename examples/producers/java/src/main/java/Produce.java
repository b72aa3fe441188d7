import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Writes one interaction to llm.interactions: what an application does after it has answered its user.
 *
 * <pre>mvn -q -f examples/producers/java/pom.xml compile exec:java -Dexec.args=127.0.0.1:9092</pre>
 */
public final class Produce {
  private Produce() {}

  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      throw new IllegalArgumentException("usage: Produce BROKER:PORT");
    }
    Map<String, Object> interaction = new LinkedHashMap<>();
    interaction.put("interaction_id", "example-java-1");
    interaction.put("service", "support-bot");
    interaction.put("operation", "answer_with_citations");
    interaction.put("model", "gpt-4o-mini");
    interaction.put("occurred_at", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
    interaction.put("prompt", "How long do I have to return a jacket?");
    interaction.put("answer", "You may return unused goods within 30 days of delivery [1].");
    interaction.put(
        "sources",
        List.of("Customers may return unused goods within 30 days of delivery for a full refund."));

    Properties settings = new Properties();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "10000");
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "5000");
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      String value = new ObjectMapper().writeValueAsString(interaction);
      producer
          .send(new ProducerRecord<>("llm.interactions", "example-java-1", value))
          .get(10, TimeUnit.SECONDS); // an error becomes an exception, and the exit code 1
    }
    System.out.println("written to llm.interactions");
  }
}
