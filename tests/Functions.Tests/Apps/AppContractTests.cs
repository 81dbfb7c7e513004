using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Functions.Tests.Apps;

/// <summary>What the function app understands of the host's invocations, and how it refuses the others. No message here reaches a
/// server.</summary>
[Trait("Category", "Slow")]
public sealed class AppContractTests(ServerlessApp serverless) : IClassFixture<ServerlessApp>
{
    /// <summary>A message that is no CloudEvent: the body of its dead letter is what the app understood.</summary>
    private const string Text = """{"a":"ü \"quoted\"","b":[1,{"Value":"x"}]}""";

    private readonly FunctionAppUnderTest _app = serverless.App;

    public static TheoryData<string, string> SingleForms()
    {
        var data = new TheoryData<string, string>();
        foreach (var function in new[] { "OrdersFromQueue", "AccountsFromQueue", "OrdersFromRabbitMq", "AccountsFromRabbitMq" })
        foreach (var form in new[] { "bytes as Base64", "a text, JSON twice", "a text, JSON once", "an object" })
            data.Add(function, form);
        return data;
    }

    [Theory]
    [MemberData(nameof(SingleForms))]
    public async Task Each_form_of_a_message_is_the_same_message(string function, string form)
    {
        object trigger = form switch
        {
            "bytes as Base64" => Base64(Text),
            "a text, JSON twice" => JsonSerializer.Serialize(Text),
            "a text, JSON once" => Text,
            _ => JsonSerializer.Deserialize<JsonElement>(Text),
        };
        var letter = Assert.Single(await _app.DeadLettersAsync(function, trigger));
        // What the host took for an object has lost its own spelling.
        if (form == "an object")
            Assert.True(JsonNode.DeepEquals(JsonNode.Parse(Text), JsonNode.Parse(BodyOf(letter))));
        else
            Assert.Equal(Text, BodyOf(letter));
        Assert.Equal("jackdaw.dead-letter", letter.GetProperty("type").GetString());
        Assert.Equal(1, letter.GetProperty("version").GetInt32());
        Assert.Equal(function, letter.GetProperty("function").GetString());
        var isOrder = function.StartsWith("Orders", StringComparison.Ordinal);
        Assert.Equal(isOrder ? "orders" : "accounts", letter.GetProperty("queue").GetString());
        Assert.Equal(isOrder ? "order-summaries/1" : "account-balances/1", letter.GetProperty("consumer").GetString());
        Assert.Contains("it has no 'specversion'", letter.GetProperty("reason").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("an array of texts")]
    [InlineData("an array of Base64")]
    [InlineData("an array of objects")]
    [InlineData("an array of texts in a text")]
    [InlineData("an array of Base64 in a text")]
    [InlineData("events of Kafka in a text")]
    [InlineData("events of Kafka as texts in a text")]
    [InlineData("events of Kafka as objects")]
    public async Task Each_form_of_a_batch_is_the_same_batch(string form)
    {
        string[] texts = [Text, Text.Replace("ü", "ä", StringComparison.Ordinal), "no JSON at all"];
        var kafka = texts.Select(text => new
        {
            Offset = 7,
            Partition = 0,
            Topic = "orders",
            Timestamp = "2026-01-01T00:00:00Z",
            Value = text,
            Headers = Array.Empty<object>(),
        });
        object trigger = form switch
        {
            "an array of texts" => texts,
            "an array of Base64" => texts.Select(Base64),
            "an array of objects" => texts[..2].Select(text => (object)JsonSerializer.Deserialize<JsonElement>(text)).Append(texts[2]),
            "an array of texts in a text" => JsonSerializer.Serialize(texts),
            "an array of Base64 in a text" => JsonSerializer.Serialize(texts.Select(Base64)),
            "events of Kafka in a text" => JsonSerializer.Serialize(kafka),
            "events of Kafka as texts in a text" => JsonSerializer.Serialize(kafka.Select(one => JsonSerializer.Serialize(one))),
            _ => kafka,
        };
        string Respelt(string text) => form == "an array of objects" && text[0] == '{' ? JsonNode.Parse(text)!.ToJsonString() : text;
        foreach (var function in new[] { "OrdersFromKafka", "AccountsFromEventHubs" })
        {
            var letters = await _app.DeadLettersAsync(function, trigger);
            Assert.Equal(
                texts.Select(Respelt).Order(StringComparer.Ordinal),
                letters.Select(BodyOf).Select(Respelt).Order(StringComparer.Ordinal)
            );
        }
    }

    [Fact]
    public async Task A_message_that_is_no_text_stays_byte_by_byte()
    {
        var bytes = Enumerable.Range(0, 256).Select(b => (byte)b).ToArray();
        var letter = Assert.Single(await _app.DeadLettersAsync("OrdersFromQueue", Convert.ToBase64String(bytes)));
        Assert.Equal(bytes, letter.GetProperty("body").GetBytesFromBase64());
        Assert.Contains("is no JSON", letter.GetProperty("reason").GetString(), StringComparison.Ordinal);
        letter = Assert.Single(await _app.DeadLettersAsync("OrdersFromQueue", ""));
        Assert.Empty(letter.GetProperty("body").GetBytesFromBase64());
    }

    /// <summary>The rule in infra/bicep/modules/monitoring.bicep looks for the line in the host's log.</summary>
    [Fact]
    public async Task The_line_about_a_dead_letter_is_the_one_that_the_alert_looks_for()
    {
        var rules = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "infra", "bicep", "modules", "monitoring.bicep"));
        var words = Regex.Match(rules, "AppTraces \\| where Message contains \"([^\"]+)\"").Groups[1].Value;
        Assert.NotEmpty(words);
        Assert.Single(await _app.DeadLettersAsync("AccountsFromRabbitMq", "no event"));
        await Eventually.IsAsync(() =>
            _app.Output.Contains($"AccountsFromRabbitMq{words}account-balances/1: The message is no JSON", StringComparison.Ordinal)
        );
    }

    /// <summary>A refused invocation of a batch would come again for ever and hold up all that is behind it.</summary>
    [Theory]
    [InlineData("OrdersFromQueue", "null", "")]
    [InlineData("OrdersFromKafka", "null", "")]
    [InlineData("OrdersFromKafka", """["x",null]""", "|x")]
    [InlineData("OrdersFromKafka", """ "[\"x\",null]" """, "|x")]
    [InlineData("AccountsFromEventHubs", """["\ud800","x"]""", "\"\\ud800\"|x")]
    [InlineData("AccountsFromEventHubs", """ "\ud800" """, "\"\\ud800\"")]
    [InlineData("OrdersFromKafka", """["\"\\ud800\"","x"]""", "\"\\ud800\"|x")]
    [InlineData("OrdersFromKafka", """[{"\ud800Value":1},"x"]""", """x|{"\ud800Value":1}""")]
    [InlineData("OrdersFromKafka", """[{"Topic":"t","Offset":1,"Value":null},"x"]""", """x|{"Topic":"t","Offset":1,"Value":null}""")]
    public async Task A_message_that_is_malformed_is_a_dead_letter_and_the_others_are_handled(
        string function,
        string trigger,
        string bodies
    )
    {
        var binding = function == "OrdersFromQueue" ? "message" : "messages";
        var (status, text) = await _app.PostAsync(function, $$$"""{"Data":{"{{{binding}}}":{{{trigger}}} }}""");
        Assert.Equal(
            (200, bodies),
            (
                status,
                status == 200
                    ? string.Join('|', FunctionAppUnderTest.DeadLettersOf(text).Select(BodyOf).Order(StringComparer.Ordinal))
                    : text
            )
        );
    }

    [Theory]
    [InlineData("OrdersFromQueue", "", "is no JSON")]
    [InlineData("OrdersFromQueue", "{", "is no JSON")]
    [InlineData("OrdersFromQueue", "[]", "no JSON object with a member 'Data'")]
    [InlineData("OrdersFromQueue", "{}", "no JSON object with a member 'Data'")]
    [InlineData("OrdersFromQueue", """{"Data":{"messages":"x"}}""", "has no member 'message'")]
    [InlineData("OrdersFromQueue", """{"Data":[]}""", "has no member 'message'")]
    [InlineData("OrdersFromKafka", """{"Data":{"message":["x"]}}""", "has no member 'messages'")]
    public async Task What_is_no_invocation_is_refused_with_a_sentence(string function, string body, string sentence)
    {
        var (status, text) = await _app.PostAsync(function, body);
        Assert.Equal(400, status);
        Assert.Contains(sentence, text, StringComparison.Ordinal);
        await Eventually.IsAsync(() => _app.Output.Contains($"{function} failed: {text}", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_invocation_that_is_too_large_is_refused_with_the_limit()
    {
        using var tcp = new TcpClient();
        await tcp.ConnectAsync(_app.Url.Host, _app.Url.Port);
        await tcp.GetStream()
            .WriteAsync(Encoding.ASCII.GetBytes($"POST /OrdersFromQueue HTTP/1.1\r\nHost: x\r\nContent-Length: {300 << 20}\r\n\r\n{{"));
        var answer = new byte[4096];
        var length = await tcp.GetStream().ReadAsync(answer);
        Assert.StartsWith("HTTP/1.1 413 ", Encoding.ASCII.GetString(answer, 0, length), StringComparison.Ordinal);
        await Eventually.IsAsync(() => _app.Output.Contains("larger than the limit of 256 MB", StringComparison.Ordinal));

        Assert.Equal(404, (await _app.PostAsync("NoSuchFunction", "{}")).Status);
    }

    /// <summary>A batch that is refused would come again for ever.</summary>
    [Fact]
    public async Task An_invocation_may_have_any_number_of_messages()
    {
        const int Many = 20_000;
        Assert.Equal(Many, (await _app.DeadLettersAsync("OrdersFromKafka", Enumerable.Repeat("x", Many))).Count);
    }

    [Fact]
    public async Task The_folder_is_a_whole_function_app()
    {
        var host = JsonSerializer.Deserialize<JsonElement>(
            await File.ReadAllTextAsync(Path.Combine(FunctionAppUnderTest.Folder, "host.json"))
        );
        var handler = host.GetProperty("customHandler");
        var program = handler.GetProperty("description").GetProperty("defaultExecutablePath").GetString()!;
        Assert.Equal(FunctionAppUnderTest.Program, Path.Combine(FunctionAppUnderTest.Folder, program));
        Assert.True(OperatingSystem.IsLinux() && File.GetUnixFileMode(FunctionAppUnderTest.Program).HasFlag(UnixFileMode.UserExecute));
        Assert.False(handler.GetProperty("enableForwardingHttpRequest").GetBoolean());
        Assert.Equal(1000, host.GetProperty("extensions").GetProperty("queues").GetProperty("maxDequeueCount").GetInt32());
        // As the host looks: in the folders right below. A build for another kind of machine has its own folder there.
        var names = Directory
            .EnumerateDirectories(FunctionAppUnderTest.Folder)
            .Where(folder => File.Exists(Path.Combine(folder, "function.json")))
            .Select(folder => Path.GetFileName(folder))
            .Order(StringComparer.Ordinal)
            .ToArray();
        Assert.Equal(8, names.Length);
        foreach (var name in names)
        {
            var text = await File.ReadAllTextAsync(Path.Combine(FunctionAppUnderTest.Folder, name, "function.json"));
            var function = JsonSerializer.Deserialize<JsonElement>(text);
            var trigger = function.GetProperty("bindings")[0];
            // The app answers to each function's name and knows its trigger.
            var bad = await _app.PostAsync(name, """{"Data":{}}""");
            Assert.Equal(400, bad.Status);
            Assert.Contains($"'{trigger.GetProperty("name").GetString()}'", bad.Text, StringComparison.Ordinal);
            var output = function.GetProperty("bindings")[1];
            Assert.Equal("deadLetter", output.GetProperty("name").GetString());
            Assert.Equal("%DeadLetterQueue%", output.GetProperty("queueName").GetString());
            var isBatch = name.EndsWith("Kafka", StringComparison.Ordinal) || name.EndsWith("EventHubs", StringComparison.Ordinal);
            Assert.Equal(isBatch, trigger.TryGetProperty("cardinality", out var many) && many.GetString() == "many");
            Assert.Equal(isBatch, function.TryGetProperty("retry", out var retry) && retry.GetProperty("maxRetryCount").GetInt32() == -1);
        }
    }

    [Theory]
    [InlineData("Jackdaw__Url", null, "'Jackdaw__Url' is missing")]
    [InlineData("Jackdaw__Url", "shop.example", "'Jackdaw__Url' must be an absolute http or https address")]
    [InlineData("Jackdaw__Url", "https://shop.example", "'Jackdaw__ClientCertificate' is missing")]
    [InlineData("Jackdaw__ClientCertificate", "AAAA", "'Jackdaw__ClientCertificate' must be a PFX")]
    [InlineData("Jackdaw__ClientCertificate", "@Microsoft.KeyVault(SecretUri=x)", "key vault that was not resolved")]
    [InlineData("Jackdaw__ServerPin", "pin:AAAA", "'Jackdaw__ServerPin' names no server: 'pin:AAAA' is neither")]
    [InlineData("OrdersQueue", null, "'OrdersQueue' is missing")]
    [InlineData("AccountsQueue", " ", "'AccountsQueue' is missing")]
    [InlineData("DeadLetterQueue", null, "'DeadLetterQueue' is missing")]
    [InlineData("DeadLetterQueue", "Dead_Letters", "'DeadLetterQueue' is 'Dead_Letters', and Azure allows")]
    [InlineData("ClaimChecks", "nonsense", "'ClaimChecks' must be a connection string")]
    [InlineData("ClaimChecks__blobServiceUri", "https://x.blob.core.windows.net", "there is no IDENTITY_ENDPOINT here")]
    [InlineData("Jackdaw__LongestInvocation", "soon", "'Jackdaw__LongestInvocation' is 'soon'")]
    [InlineData("Jackdaw__CancelGrace", "0", "'Jackdaw__CancelGrace' is '0'")]
    [InlineData("FUNCTIONS_CUSTOMHANDLER_PORT", "", "'FUNCTIONS_CUSTOMHANDLER_PORT' is missing")]
    public async Task A_wrong_setting_ends_the_process_with_a_sentence_that_names_it(string name, string? value, string sentence)
    {
        var settings = FunctionAppUnderTest.Settings(ServerlessApp.NoServer);
        settings[name] = value ?? "";
        await using var app = FunctionAppUnderTest.Launch(settings);
        Assert.Equal(2, await app.WaitForExitAsync());
        await Eventually.IsAsync(() => app.Output.Contains(sentence, StringComparison.Ordinal));
    }

    private static string Base64(string text) => Convert.ToBase64String(Encoding.UTF8.GetBytes(text));

    private static string BodyOf(JsonElement letter) => Encoding.UTF8.GetString(letter.GetProperty("body").GetBytesFromBase64());
}
