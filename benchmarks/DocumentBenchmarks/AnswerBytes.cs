using System.Text;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The bytes of the server's answer to a GET, for the peer to answer with; until the server has given one, bytes of that
/// form.</summary>
internal sealed class AnswerBytes
{
    public byte[] Bytes { get; set; } =
        Encoding.UTF8.GetBytes($"{{\"Results\":[{new DocumentBodies().Lines(1).First()}],\"Includes\":{{}}}}");
}
