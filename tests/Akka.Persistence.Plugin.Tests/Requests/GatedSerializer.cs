using System.Text;
using Akka.Actor;
using Akka.Serialization;

namespace Jackdaw.Actors.Tests.Requests;

/// <summary>An event whose serialisation waits until the test opens its gate.</summary>
public sealed record GatedEvent(ManualResetEventSlim Gate);

/// <summary>Serialises <see cref="GatedEvent"/>.</summary>
public sealed class GatedSerializer(ExtendedActorSystem system) : Serializer(system)
{
    /// <inheritdoc />
    public override int Identifier => 9_000_001;

    /// <inheritdoc />
    public override bool IncludeManifest => false;

    /// <inheritdoc />
    public override byte[] ToBinary(object obj)
    {
        Assert.True(((GatedEvent)obj).Gate.Wait(Eventually.Patience));
        return Encoding.UTF8.GetBytes("gated");
    }

    /// <inheritdoc />
    public override object FromBinary(byte[] bytes, Type type) => throw new NotSupportedException("Nobody reads it.");
}
