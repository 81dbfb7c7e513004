using System.Text;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.Tests;

/// <summary>A message as the receiver has it.</summary>
internal sealed record Received(OutboundMessage Message, int Attempt)
{
    public string Id => Message.Event.Id;

    public string Text => Encoding.UTF8.GetString(Message.Data.Span);

    public override string ToString() => $"{Message.Target}: {Text}";
}
