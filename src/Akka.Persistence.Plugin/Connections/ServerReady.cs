namespace Akka.Persistence.Jackdaw.Connections;

/// <summary>Tells a plug-in's actor that the server has answered.</summary>
internal sealed class ServerReady
{
    public static ServerReady Instance { get; } = new();
}
