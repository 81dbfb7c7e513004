using System.Text;
using Jackdaw.EventStreams.Client.Appending;

namespace Jackdaw.EventStreams.Client.Tests.Serving;

/// <summary>Appends as tests make them.</summary>
internal static class Appends
{
    public static StreamAppend Of(string stream, long first, int count = 1, string payload = "{}", string writer = "w") =>
        new(stream, [Group(first, count, payload, writer)]);

    public static EventGroup Group(long first, int count = 1, string payload = "{}", string writer = "w") =>
        new()
        {
            First = first,
            Writer = writer,
            Events =
            [
                .. Enumerable.Range(0, count).Select(i => new NewEvent { Payload = Encoding.UTF8.GetBytes(payload), Ticks = first + i }),
            ],
        };
}
