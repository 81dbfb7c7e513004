using System.Net;
using System.Net.Sockets;
using System.Text;
using Jackdaw.Bench.Load;
using Xunit;

namespace Jackdaw.Bench.Tests;

public class RawHttpConnectionTests
{
    [Theory]
    [InlineData("HTTP/1.1 201 Created\r\nServer: x\r\ncontent-length: 5\r\n\r\nhello", 201)]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n", 200)]
    [InlineData("HTTP/1.1 204 No Content\r\nServer: x\r\n\r\n", 204)]
    [InlineData("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404)]
    public async Task An_answer_that_arrives_byte_by_byte_is_read_to_its_end_and_no_further(string answer, int status)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task server = AnswerTwiceAsync(listener, Encoding.ASCII.GetBytes(answer));
        using RawHttpConnection connection = await RawHttpConnection.OpenAsync($"http://{listener.LocalEndpoint}", CancellationToken.None);

        Assert.Equal(status, await connection.SendAsync("A"u8.ToArray(), CancellationToken.None).AsTask().WaitAsync(Eventually.Patience));
        Assert.Equal(status, await connection.SendAsync("B"u8.ToArray(), CancellationToken.None).AsTask().WaitAsync(Eventually.Patience));

        connection.Dispose();
        await server;
    }

    private static async Task AnswerTwiceAsync(TcpListener listener, byte[] answer)
    {
        using Socket socket = await listener.AcceptSocketAsync();
        socket.NoDelay = true;
        byte[] request = new byte[1];
        while (await socket.ReceiveAsync(request) == 1)
        {
            for (int i = 0; i < answer.Length; i++)
                await socket.SendAsync(answer.AsMemory(i, 1));
        }
    }
}
