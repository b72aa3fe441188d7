import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.TableEnvironment;

/**
 * Runs the statements of a file on Flink within this process: java RunStatements.java FILE BROKER:PORT. Each source ends at
 * the records that are there now. The INSERTs run last, as one job.
 */
public class RunStatements {
    private static final Pattern SETTING = Pattern.compile("SET '([^']+)' = '([^']+)'");

    public static void main(String[] args) throws Exception {
        Configuration settings = new Configuration();
        settings.setString("parallelism.default", "1");
        settings.setString("rest.bind-address", "127.0.0.1");
        settings.setString("table.local-time-zone", "UTC");
        TableEnvironment tables = TableEnvironment.create(
            EnvironmentSettings.newInstance().inStreamingMode().withConfiguration(settings).build());
        String text = Files.readString(Path.of(args[0]))
            .replace("127.0.0.1:9092", args[1])
            .replace("'scan.startup.mode' = 'earliest-offset'",
                "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'");
        StatementSet inserts = tables.createStatementSet();
        for (String statement : statements(text)) {
            try {
                Matcher setting = SETTING.matcher(statement);
                if (setting.matches()) { // the SQL client's own statement
                    tables.getConfig().set(setting.group(1), setting.group(2));
                } else if (statement.startsWith("INSERT")) {
                    inserts.addInsertSql(statement);
                } else {
                    tables.executeSql(statement);
                }
            } catch (Exception e) {
                throw new Exception("statement failed: " + statement, e);
            }
        }
        inserts.execute().await();
    }

    /** Statements end with a semicolon at the end of a line, which a comment may follow. */
    static List<String> statements(String text) {
        List<String> all = new ArrayList<>();
        for (String s : text.split(";[ \\t]*(--[^\\n]*)?(\\n|$)")) {
            String[] lines = s.split("\\n");
            String code = String.join("\n", Arrays.stream(lines).filter(l -> !l.strip().startsWith("--")).toList()).strip();
            if (!code.isEmpty()) {
                all.add(code);
            }
        }
        return all;
    }
}
