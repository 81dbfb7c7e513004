using System.Buffers;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Messages;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Transforming;

/// <summary>What the functions of the host work on during one call of a script, and what they made.</summary>
internal sealed class TransformCall(EventNaming naming, bool allowsRoutingKeys)
{
    private readonly ArrayBufferWriter<byte> _json = new();
    private ChangeOrigin? _origin;
    private string? _time;
    private string? _checkedTarget;
    private long _bytes;

    /// <summary>In the order of calls.</summary>
    public List<OutboundMessage> Messages { get; } = [];

    /// <summary>A limit that the script has met, whatever it caught.</summary>
    public string? Refusal { get; private set; }

    /// <summary>Where the functions of the host find documents.</summary>
    public required DocumentsReader? Reader { private get; set; }

    private ChangeOrigin Origin
    {
        get
        {
            Invariant.Require(_origin is not null);
            return _origin;
        }
    }

    public void Begin(ChangeOrigin origin)
    {
        _origin = origin;
        _time = null;
        _bytes = 0;
        Messages.Clear();
        Refusal = null;
    }

    /// <summary>Documents share the call that comes: messages are made afterwards, and what the functions of the host are asked
    /// names its document.</summary>
    public void BeginShared()
    {
        _origin = null;
        Messages.Clear();
        Refusal = null;
    }

    /// <summary>Adds a message. Throws <see cref="ScriptCallbackException"/> into the script for what it could have done better.</summary>
    public void Send(string target, string? routingKey, string? attributes, ReadOnlyMemory<byte> data)
    {
        if (routingKey is not null && !allowsRoutingKeys)
            throw new ScriptCallbackException(
                $"loadTo: the sink of this task knows no routing keys; the second argument for '{target}' must be an object of attributes."
            );
        if (!ReferenceEquals(target, _checkedTarget))
        {
            MessageAttributes.CheckText("the target", target);
            _checkedTarget = target;
        }
        if (routingKey is not null)
            MessageAttributes.CheckText("the routing key", routingKey);
        _bytes += data.Length;
        Refusal ??=
            Messages.Count >= EtlLimits.MaxMessagesPerDocument
                ? $"The script called loadTo more than {EtlLimits.MaxMessagesPerDocument:N0} times for one document (fixed limit)."
            : _bytes > EtlLimits.MaxMessageBytesPerDocument
                ? $"The messages of one document have more than {EtlLimits.MaxMessageBytesPerDocument:N0} bytes (fixed limit)."
            : null;
        if (Refusal is { } refusal)
        {
            Messages.Clear();
            throw new ScriptCallbackException(refusal);
        }
        int number = Messages.Count + 1;
        var attributesOfEvent = Default(number);
        Messages.Add(
            new OutboundMessage
            {
                Target = target,
                RoutingKey = routingKey,
                Event = attributes is null ? attributesOfEvent : MessageAttributes.Apply(attributes, attributesOfEvent),
                Data = data,
                Origin = Origin,
                Number = number,
                IsOrderedByRoute = allowsRoutingKeys,
            }
        );
    }

    /// <summary>Adds the message that tells a target of a deletion.</summary>
    public void SendDeletion(string target)
    {
        int number = Messages.Count + 1;
        Messages.Add(
            new OutboundMessage
            {
                Target = target,
                Event = Default(number),
                Data = default,
                Origin = Origin,
                Number = number,
                IsOrderedByRoute = allowsRoutingKeys,
            }
        );
    }

    /// <summary>The functions of the host, for the environment of transforms.</summary>
    public static ScriptFunction[] Functions() =>
        [
            new(
                "send",
                static (ref call) =>
                    Of(ref call)
                        .Send(call.Text(0), call.IsNothing(2) ? null : call.Text(2), call.IsNothing(3) ? null : call.Text(3), call.Utf8(1))
            ),
            new("id", static (ref call) => call.Return(Of(ref call).Origin.DocumentId)),
            new("metadata", static (ref call) => Of(ref call).ReturnMetadata(ref call)),
            new("load", static (ref call) => Of(ref call).Load(ref call)),
        ];

    private static TransformCall Of(ref ScriptInvocation call) => (TransformCall)call.State!;

    private void ReturnMetadata(ref ScriptInvocation call)
    {
        Invariant.Require(Reader is not null);
        Invariant.Require(Reader.TryGetChanged(call.IsNothing(0) ? Origin.DocumentId : call.Text(0), out var document));
        _json.ResetWrittenCount();
        DocumentJson.WriteMetadataOnly(document, _json);
        call.ReturnJson(_json.WrittenSpan);
    }

    private void Load(ref ScriptInvocation call)
    {
        Invariant.Require(Reader is not null);
        if (!Reader.TryGet(call.Text(0), out var document))
        {
            call.ReturnNull();
            return;
        }
        _json.ResetWrittenCount();
        DocumentJson.Write(document, _json);
        call.ReturnJson(_json.WrittenSpan);
    }

    private CloudEvent Default(int number) =>
        new()
        {
            Id = naming.Id(Origin.ChangeVector, number),
            Source = naming.Source,
            Type = Origin.IsDeletion ? CloudEvent.DeleteType : CloudEvent.PutType,
            Subject = Origin.OrderedBy,
            Time = _time ??= ProtocolDate.ToText(Origin.LastModifiedTicks, withZ: true),
            PartitionKey = Origin.OrderedBy,
            DatabaseId = naming.DatabaseId,
            TraceParent = Origin.TraceParent,
        };
}
