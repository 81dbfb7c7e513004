using System.Text.Json;
using Jackdaw.EventStreams.Client.Appending;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Tests.Appending;

public class EncodedGroupsTests
{
    [Fact]
    public void Groups_share_memory_and_each_has_its_own_bytes()
    {
        // Small ones, some that do not fit into what is left of a piece, and names that take more room in JSON than their bytes.
        EventGroup[] groups =
        [
            .. Enumerable.Range(0, 500).Select(i => Group(i + 1, payloadBytes: i * i % 70_000, manifest: new string('\n', i))),
        ];
        var append = new StreamAppend("stream", groups);
        var call = new AppendCall(append, AppendRules.Verify(append, Options), time: default);

        call.Encode(long.MaxValue);

        Assert.Equal(groups.Length, call.Part.Length);
        for (var i = 0; i < groups.Length; i++)
        {
            using var json = JsonDocument.Parse(call.Part[i]);
            Assert.Equal(i + 1, json.RootElement.GetProperty("first").GetInt64());
            var sent = json.RootElement.GetProperty("events")[0];
            Assert.Equal(groups[i].Events[0].Manifest, sent.TryGetProperty("manifest", out var manifest) ? manifest.GetString() : "");
            Assert.Equal(groups[i].Events[0].Payload.ToArray(), sent.GetProperty("payloadBase64").GetBytesFromBase64());
        }
    }

    [Fact]
    public void An_error_names_the_text_its_event_and_the_limit()
    {
        var append = new StreamAppend("s", [Group(7, payloadBytes: 1, manifest: new string('m', 1_001))]);

        var refusal = Assert.Throws<Errors.InvalidAppendException>(() => AppendRules.Verify(append, Options));

        Assert.Equal("The manifest of event 7 of stream 's' has 1,001 bytes; the limit is 1,000.", refusal.Message);
    }

    private static EventStreamsClientOptions Options { get; } = new() { Url = new Uri("http://localhost"), Database = "d" };

    private static EventGroup Group(long number, int payloadBytes, string manifest)
    {
        var payload = new byte[payloadBytes];
        new Random((int)number).NextBytes(payload);
        return new EventGroup
        {
            First = number,
            Events =
            [
                new NewEvent
                {
                    Payload = payload,
                    Ticks = 1,
                    Manifest = manifest,
                },
            ],
        };
    }
}
